"""Everything a compile log holds, word for word, by compilation."""
