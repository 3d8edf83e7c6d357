#define _GNU_SOURCE
#include "CTesseractShortcuts.h"

#include <dlfcn.h>

#define LOAD_UNIVERSAL "_ZN9tesseract13UnicharAmbigs13LoadUniversalERKNS_10UNICHARSETEPS1_"

// When an engine starts, Tesseract reads 19,000 ambiguities of its legacy recogniser (`oDt` for `th`) into sorted lists, whatever
// the engine is for (`Tesseract::init_tesseract_lang_data`, 5.3). The recogniser of lines never asks them, and they were half of
// the CPU time of a program that reads one photo. The library calls the function through its symbol table, so this definition
// takes the place of the library's; a release that names it otherwise calls its own again, and only costs time.
void serialscan_load_no_ambiguities(void) __asm__(LOAD_UNIVERSAL);

void serialscan_load_no_ambiguities(void) {}

bool tesseract_starts_without_ambiguities(void) {
  // The first definition in the order in which the libraries of the program are searched is the one that is called. A second
  // one is the library's: without it, the library has another name for the function.
  return dlsym((void *)0, LOAD_UNIVERSAL) == (void *)serialscan_load_no_ambiguities && dlsym(RTLD_NEXT, LOAD_UNIVERSAL);
}
