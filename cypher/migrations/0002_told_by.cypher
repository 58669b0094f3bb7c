// Schema 2: a claim may hold who says so, where that is not its episode's speaker (told_by). Claims made before have no such
// property, which says the same as null: nothing to change.
