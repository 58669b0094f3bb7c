"""Tools for working on graphmem; they do not ship."""
