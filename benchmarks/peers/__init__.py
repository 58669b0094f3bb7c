"""The same facts told to graphmem, graphiti-core and mem0ai: what each asks of a model, how long it takes, what it answers."""
