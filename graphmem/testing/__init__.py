"""Doubles that users can test with too: model servers on loopback that answer as they are told to."""
