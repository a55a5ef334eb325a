"""The autograd tape in the order of the backward pass, with what is freed when; must not know other views."""
