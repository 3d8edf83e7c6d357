// Filled with the typed settings.
