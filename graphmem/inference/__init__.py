"""Models: embedders, rerankers, language models, and their doubles. Only this part and the stores import outside clients."""
