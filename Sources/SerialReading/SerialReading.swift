// Filled by the module's first stage.
