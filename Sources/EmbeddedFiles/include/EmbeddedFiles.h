#ifndef SERIALSCAN_EMBEDDED_FILES_H
#define SERIALSCAN_EMBEDDED_FILES_H

#include <stddef.h>

/// A file of the repository, as it was when the binary was built.
typedef struct {
  const char *_Nonnull name;
  const unsigned char *_Nonnull bytes;
  size_t size;
} SerialScanEmbeddedFile;

/// The default settings, `config/serialscan.yaml`.
SerialScanEmbeddedFile serialscan_embedded_settings(void);

/// The names of models, `config/models.csv`.
SerialScanEmbeddedFile serialscan_embedded_models(void);

/// The number of files in `config/export-templates`.
size_t serialscan_embedded_export_template_count(void);

/// The template of exports at `index`.
SerialScanEmbeddedFile serialscan_embedded_export_template(size_t index);

/// The text model, `Sources/TextReading/Model/serial.traineddata`.
SerialScanEmbeddedFile serialscan_embedded_model(void);

/// The model of second opinions, `Sources/TextReading/Model/second.traineddata`.
SerialScanEmbeddedFile serialscan_embedded_second_model(void);

/// The network that classifies single characters, `Sources/TextReading/Model/glyphs.bin`.
SerialScanEmbeddedFile serialscan_embedded_glyph_model(void);

/// The number of migrations in `Migrations/`.
size_t serialscan_embedded_migration_count(void);

/// The migration at `index`, in the order in which they are applied.
SerialScanEmbeddedFile serialscan_embedded_migration(size_t index);

/// The number of migrations in `Migrations/postgres/`.
size_t serialscan_embedded_postgres_migration_count(void);

/// The PostgreSQL migration at `index`, in the order in which they are applied.
SerialScanEmbeddedFile serialscan_embedded_postgres_migration(size_t index);

/// The number of files in `Sources/HTTPAPI/Pages`.
size_t serialscan_embedded_page_count(void);

/// The file at `index` of `Sources/HTTPAPI/Pages`, which browsers load.
SerialScanEmbeddedFile serialscan_embedded_page(size_t index);

#endif
