#define _GNU_SOURCE
#include "CTesseractShortcuts.h"

#include <dlfcn.h>

#define LOAD_UNIVERSAL "_ZN9tesseract13UnicharAmbigs13LoadUniversalERKNS_10UNICHARSETEPS1_"

// When any engine starts, Tesseract sorts 19,000 ambiguities of its legacy recogniser (`oDt` for `th`) into lists
// (`Tesseract::init_tesseract_lang_data`, 5.3). The LSTM recogniser never uses them, and they took half of the CPU time
// of a program that reads one photo. The library calls the function through its symbol table, so this definition
// replaces it. A release that renames the function calls its own again, which only costs time.
void serialscan_load_no_ambiguities(void) __asm__(LOAD_UNIVERSAL);

void serialscan_load_no_ambiguities(void) {}

bool tesseract_starts_without_ambiguities(void) {
  // The first definition in search order is the one that is called. A second definition is the library's; if there is
  // none, the library has renamed the function.
  return dlsym((void *)0, LOAD_UNIVERSAL) == (void *)serialscan_load_no_ambiguities && dlsym(RTLD_NEXT, LOAD_UNIVERSAL);
}
