"""The Python that asked for a kernel and the code that was generated for it; must not know other views."""
