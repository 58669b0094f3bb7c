"""Importers: one module a format, each turning a file into episodes as a stream."""
