#include "EmbeddedFiles.h"

static const unsigned char page[] = {
#embed "../HTTPAPI/Pages/index.html"
};

static const unsigned char docs[] = {
#embed "../HTTPAPI/Pages/docs.html"
};

static const unsigned char openapi[] = {
#embed "../HTTPAPI/Pages/openapi.json"
};

SerialScanEmbeddedFile serialscan_embedded_page(void) {
  return (SerialScanEmbeddedFile){"index.html", page, sizeof(page)};
}

SerialScanEmbeddedFile serialscan_embedded_docs_page(void) {
  return (SerialScanEmbeddedFile){"docs.html", docs, sizeof(docs)};
}

SerialScanEmbeddedFile serialscan_embedded_openapi(void) {
  return (SerialScanEmbeddedFile){"openapi.json", openapi, sizeof(openapi)};
}
