#include "EmbeddedFiles.h"

static const unsigned char bytes[] = {
#embed "../../config/serialscan.yaml"
};

SerialScanEmbeddedFile serialscan_embedded_settings(void) {
  return (SerialScanEmbeddedFile){"serialscan.yaml", bytes, sizeof(bytes)};
}

static const unsigned char models[] = {
#embed "../../config/models.csv"
};

SerialScanEmbeddedFile serialscan_embedded_models(void) {
  return (SerialScanEmbeddedFile){"models.csv", models, sizeof(models)};
}
