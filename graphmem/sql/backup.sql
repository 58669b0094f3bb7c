VACUUM INTO :target
