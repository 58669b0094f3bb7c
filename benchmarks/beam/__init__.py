"""BEAM: long chats with an assistant, and probing questions of ten kinds with the messages that answer them."""
