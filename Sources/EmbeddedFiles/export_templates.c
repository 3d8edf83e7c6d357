#include "EmbeddedFiles.h"

static const unsigned char glpi[] = {
#embed "../../config/export-templates/glpi.yaml"
};

static const unsigned char jamf[] = {
#embed "../../config/export-templates/jamf.yaml"
};

static const unsigned char plain[] = {
#embed "../../config/export-templates/plain.yaml"
};

static const unsigned char snipe_it[] = {
#embed "../../config/export-templates/snipe-it.yaml"
};

static const SerialScanEmbeddedFile files[] = {
    {"glpi.yaml", glpi, sizeof(glpi)},
    {"jamf.yaml", jamf, sizeof(jamf)},
    {"plain.yaml", plain, sizeof(plain)},
    {"snipe-it.yaml", snipe_it, sizeof(snipe_it)},
};

size_t serialscan_embedded_export_template_count(void) { return sizeof(files) / sizeof(files[0]); }

SerialScanEmbeddedFile serialscan_embedded_export_template(size_t index) { return files[index]; }
