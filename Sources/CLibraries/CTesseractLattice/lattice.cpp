#include "CTesseractLattice.h"

#include <tesseract/resultiterator.h>

// The C API of Tesseract 5.3 does not return the probabilities of each time step. Its handles are pointers to C++
// objects, whose methods are used here.
extern "C" int32_t serialscan_lattice(void *iterator, struct serialscan_lattice_choice *choices, int32_t most) {
  if (!iterator || !choices || most <= 0) return -1;
  try {
    auto *result = static_cast<tesseract::ResultIterator *>(iterator);
    int32_t count = 0;
    int32_t word = 0;
    do {
      const auto *parts = result->GetRawLSTMTimesteps();
      if (!parts) return -1;
      int32_t part = 0;
      for (const auto &steps : *parts) {
        int32_t step = 0;
        for (const auto &step_choices : steps) {
          for (const auto &choice : step_choices) {
            if (count >= most) return -1;
            const auto first = choice.first ? static_cast<uint8_t>(*choice.first) : uint8_t{0};
            choices[count++] = {word, part, step, first < 128 ? first : uint8_t{255}, choice.second};
          }
          ++step;
        }
        ++part;
      }
      ++word;
    } while (result->Next(tesseract::RIL_WORD));
    return count > 0 ? count : -1;
  } catch (...) {
    return -1;
  }
}
