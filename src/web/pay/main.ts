// The page works without this module. It makes it live.
