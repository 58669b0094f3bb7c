"""Calls and prompt tokens that reading a message costs, by its size and by how much its group holds already."""
