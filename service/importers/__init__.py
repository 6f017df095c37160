"""Pure readers of other session formats: lines of bytes in, native events out."""
