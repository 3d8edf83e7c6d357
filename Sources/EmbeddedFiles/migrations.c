#include "EmbeddedFiles.h"

// A new migration is one array and one row here; a test holds this list against the folder.
static const unsigned char jobs[] = {
#embed "../../Migrations/0001_jobs.sql"
};

static const SerialScanEmbeddedFile files[] = {
    {"0001_jobs.sql", jobs, sizeof(jobs)},
};

size_t serialscan_embedded_migration_count(void) { return sizeof(files) / sizeof(files[0]); }

SerialScanEmbeddedFile serialscan_embedded_migration(size_t index) { return files[index]; }
