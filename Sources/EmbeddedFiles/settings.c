#include "EmbeddedFiles.h"

static const unsigned char bytes[] = {
#embed "../../config/serialscan.yaml"
};

SerialScanEmbeddedFile serialscan_embedded_settings(void) {
  return (SerialScanEmbeddedFile){"serialscan.yaml", bytes, sizeof(bytes)};
}
