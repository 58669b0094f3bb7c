"""LoCoMo: are the turns that hold the answer among the first that a search finds?"""
