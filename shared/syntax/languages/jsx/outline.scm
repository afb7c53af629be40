; What TSX and JavaScript have beyond the outline of their shared base: nothing.
