#include "CTesseractShortcuts.h"
#include "byte_products.hpp"
#include "network_layout.hpp"

#include <dlfcn.h>
#include <tesseract/capi.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

// Tesseract's networks process a line of 36 rows pixel by pixel: a 3 x 3 convolution, a 3 x 3 max pooling, then LSTM
// layers. In release 5, the first two compute the address of each neighbour of each pixel in about ten function calls,
// and the others look up hyperbolic tangents with an unpredictable branch for the sign. Together this takes more time
// than all products of the network. The library calls its layers through its symbol table, so the definitions below
// replace them: plain loops with bit-identical results. They handle one picture of bytes at a time. The library's own
// functions handle all other input, and all input if a comparison at the start of the program or on the first lines
// finds a difference.

using namespace serialscan;

#define CONVOLVE "_ZN9tesseract8Convolve7ForwardEbRKNS_9NetworkIOEPKNS_15TransposedArrayEPNS_14NetworkScratchEPS1_"
#define MAXPOOL "_ZN9tesseract7Maxpool7ForwardEbRKNS_9NetworkIOEPKNS_15TransposedArrayEPNS_14NetworkScratchEPS1_"
#define LONG_SHORT_TERM "_ZN9tesseract4LSTM7ForwardEbRKNS_9NetworkIOEPKNS_15TransposedArrayEPNS_14NetworkScratchEPS1_"
#define WRITE "_ZN9tesseract9NetworkIO17WriteTimeStepPartEiiiPKf"
// Until 5.3 and since 5.4.
#define ACTIVATE_STEP "_ZN9tesseract14FullyConnected15ForwardTimeStepEiPf"
#define ACTIVATE "_ZN9tesseract14FullyConnected15ForwardTimeStepEPf"

// Tesseract's parameter list of every layer: whether to draw, input, the input transposed, scratch space, output.
using Layer = void(Network *, bool, const NetworkIO *, const void *, void *, NetworkIO *);
using Write = void(NetworkIO *, int pixel, int offset, int count, const float *);
using ActivateStep = void(Network *, int step, float *);
using Activate = void(Network *, float *);

Layer serialscan_convolve __asm__(CONVOLVE);
Layer serialscan_maxpool __asm__(MAXPOOL);
Layer serialscan_long_short_term __asm__(LONG_SHORT_TERM);
Write serialscan_write __asm__(WRITE);
ActivateStep serialscan_activate_step __asm__(ACTIVATE_STEP);
Activate serialscan_activate __asm__(ACTIVATE);

namespace {

// The library's functions and tables; null if it has no symbol of that name.
struct Library {
  Layer *convolve = own<Layer>(CONVOLVE);
  Layer *maxpool = own<Layer>(MAXPOOL);
  Layer *longShortTerm = own<Layer>(LONG_SHORT_TERM);
  Write *write = own<Write>(WRITE);
  ActivateStep *activateStep = own<ActivateStep>(ACTIVATE_STEP);
  Activate *activate = own<Activate>(ACTIVATE);
  void (*resize)(NetworkIO *, bool, const StrideMap *, int) =
      own<void(NetworkIO *, bool, const StrideMap *, int)>("_ZN9tesseract9NetworkIO11ResizeToMapEbRKNS_9StrideMapEi");
  void (*resizeScaled)(NetworkIO *, const NetworkIO *, int, int, int) =
      own<void(NetworkIO *, const NetworkIO *, int, int, int)>("_ZN9tesseract9NetworkIO12ResizeScaledERKS0_iii");
  void (*resizeToColumn)(NetworkIO *, const NetworkIO *, int) =
      own<void(NetworkIO *, const NetworkIO *, int)>("_ZN9tesseract9NetworkIO10ResizeXTo1ERKS0_i");
  void (*resizeSource)(LSTM *, const NetworkIO *) =
      own<void(LSTM *, const NetworkIO *)>("_ZN9tesseract4LSTM13ResizeForwardERKNS_9NetworkIOE");
  void (*randomize)(NetworkIO *, int, int, int, void *) =
      own<void(NetworkIO *, int, int, int, void *)>("_ZN9tesseract9NetworkIO9RandomizeEiiiPNS_5TRandE");
  void (*multiply)(const WeightMatrix *, const int8_t *, float *) =
      own<void(const WeightMatrix *, const int8_t *, float *)>("_ZNK9tesseract12WeightMatrix15MatrixDotVectorEPKaPf");
  // 4,096 values for 0..<16, and as many of the logistic function.
  const float *tangents = static_cast<const float *>(symbol("_ZN9tesseract9TanhTableE"));
  const float *logistics = static_cast<const float *>(symbol("_ZN9tesseract13LogisticTableE"));
  // The virtual tables of arrays, after their two header words.
  void **floats = static_cast<void **>(symbol("_ZTVN9tesseract16GENERIC_2D_ARRAYIfEE"));
  void **bytes = static_cast<void **>(symbol("_ZTVN9tesseract16GENERIC_2D_ARRAYIaEE"));
  void **integers = static_cast<void **>(symbol("_ZTVN9tesseract16GENERIC_2D_ARRAYIiEE"));

  // Whether this release's layouts are known and it has all symbols.
  bool isKnown() const {
    return std::strncmp(TessVersion(), "5.", 2) == 0 && convolve && maxpool && longShortTerm && write && (activateStep || activate)
           && resize && resizeScaled && resizeToColumn && resizeSource && randomize && multiply && tangents && logistics && floats && bytes
           && integers;
  }

 private:
  static void *symbol(const char *name) { return dlsym(RTLD_NEXT, name); }

  template <typename Function>
  static Function *own(const char *name) {
    return reinterpret_cast<Function *>(symbol(name));
  }
};

const Library &library() {
  static const Library library;
  return library;
}

// Compiled once more for processors with AVX2, which look up eight values of a table at once; the processor that runs it decides. Without
// fused multiplications, which round once less.
#if defined(__x86_64__)
#define SERIALSCAN_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define SERIALSCAN_WIDE
#endif
#define SERIALSCAN_INLINE inline __attribute__((always_inline))

// Whether layers are replaced: set before `main`, and cleared if a comparison fails.
std::atomic<bool> replacesLayers{false};

// The value of a table at |x|, interpolated. At the table's end both functions are 1.
SERIALSCAN_INLINE float interpolated(const float *table, float x) {
  const float place = std::min(std::abs(x) * 256, 4094.0F);
  const int index = static_cast<int>(place);
  return table[index] + (table[index + 1] - table[index]) * (place - static_cast<float>(index));
}

SERIALSCAN_INLINE float hyperbolicTangent(const float *table, float x) { return std::copysign(interpolated(table, x), x); }

SERIALSCAN_INLINE float logistic(const float *table, float x) {
  const float value = interpolated(table, x);
  return x < 0 ? 1 - value : value;
}

// Replaces values by their hyperbolic tangents.
SERIALSCAN_WIDE void activate(const float *__restrict table, int count, float *__restrict values) {
  for (int index = 0; index < count; ++index) values[index] = hyperbolicTangent(table, values[index]);
}

// Takes one step of LSTM cells: `gates` are the input, and what enters, stays and leaves.
SERIALSCAN_WIDE void stepCells(
    const float *tangents, const float *logistics, int count, const float *const *gates, float *__restrict state, float *__restrict fedBack) {
  for (int index = 0; index < count; ++index) {
    const float cell = hyperbolicTangent(tangents, gates[0][index]), enters = logistic(logistics, gates[1][index]);
    const float kept = state[index] * logistic(logistics, gates[2][index]);
    state[index] = std::clamp(kept + cell * enters, -100.0F, 100.0F);
    fedBack[index] = hyperbolicTangent(tangents, state[index]) * logistic(logistics, gates[3][index]);
  }
}

// Writes values of -1...1 as bytes of -127...127, halves away from zero.
SERIALSCAN_WIDE void quantize(const float *values, int count, int8_t *bytes) {
  for (int index = 0; index < count; ++index) {
    const float scaled = std::clamp<float>(values[index] * INT8_MAX, -INT8_MAX, INT8_MAX);
    bytes[index] = static_cast<int8_t>(scaled + (scaled < 0 ? -0.5F : 0.5F));
  }
}

// Copies each pixel's neighbours into one row, column by column from the left, each from top to bottom. Neighbours
// outside the picture are random, drawn in the library's order.
void convolve(const Convolve &layer, const NetworkIO &input, NetworkIO &output) {
  const int height = input.map.height(), width = input.map.width(), depth = layer.inputs;
  const int columnLength = (2 * layer.halfHeight + 1) * depth;
  const bool isOfGrayPixels = depth == 1 && layer.halfWidth == 1 && layer.halfHeight == 1;
  library().resize(&output, true, &input.map, layer.outputs);
  for (int y = 0, pixel = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x, ++pixel) {
      int8_t *destination = output.bytes.row(pixel);
      if (isOfGrayPixels && x > 0 && x < width - 1 && y > 0 && y < height - 1) {
        const int8_t *middle = input.bytes.row(pixel), *above = middle - width, *below = middle + width;
        for (int dx = -1; dx <= 1; ++dx, destination += 3) {
          destination[0] = above[dx], destination[1] = middle[dx], destination[2] = below[dx];
        }
        continue;
      }
      int offset = 0;
      for (int dx = -layer.halfWidth; dx <= layer.halfWidth; ++dx) {
        if (x + dx < 0 || x + dx >= width) {
          library().randomize(&output, pixel, offset, columnLength, layer.randomizer);
          offset += columnLength;
          continue;
        }
        for (int dy = -layer.halfHeight; dy <= layer.halfHeight; ++dy, offset += depth) {
          if (y + dy < 0 || y + dy >= height) {
            library().randomize(&output, pixel, offset, depth, layer.randomizer);
          } else if (depth == 1) {
            destination[offset] = *input.bytes.row(pixel + dy * width + dx);
          } else {
            std::memcpy(destination + offset, input.bytes.row(pixel + dy * width + dx), static_cast<size_t>(depth));
          }
        }
      }
    }
  }
}

// Computes the maximum of each block of `xScale` x `yScale` pixels.
void maxpool(const Maxpool &layer, const NetworkIO &input, NetworkIO &output) {
  const int depth = layer.inputs, width = input.map.width();
  library().resizeScaled(&output, &input, layer.xScale, layer.yScale, layer.outputs);
  for (int y = 0, pixel = 0; y < output.map.height(); ++y) {
    for (int x = 0; x < output.map.width(); ++x, ++pixel) {
      int8_t *greatest = output.bytes.row(pixel);
      const int first = y * layer.yScale * width + x * layer.xScale;
      std::memcpy(greatest, input.bytes.row(first), static_cast<size_t>(depth));
      for (int dy = 0; dy < layer.yScale; ++dy) {
        for (int dx = 0; dx < layer.xScale; ++dx) {
          const int8_t *values = input.bytes.row(first + dy * width + dx);
          for (int index = 0; index < depth; ++index) greatest[index] = std::max(greatest[index], values[index]);
        }
      }
    }
  }
}

// Runs an LSTM layer over each row from its left end. A summary keeps only the output at the right end.
void longShortTerm(LSTM &layer, const NetworkIO &input, NetworkIO &output) {
  const bool isSummary = layer.type == Network::lstmSummary;
  if (isSummary) {
    library().resizeToColumn(&output, &input, layer.outputs);
  } else {
    library().resize(&output, true, &input.map, layer.outputs);
  }
  library().resizeSource(&layer, &input);
  const float *tangents = library().tangents, *logistics = library().logistics;
  // Products are written in full registers of up to 64 values.
  const int states = layer.states, room = (states + 63) / 64 * 64;
  thread_local std::vector<float> values;
  values.assign(static_cast<size_t>(room) * 6, 0);
  std::array<float *, 4> gates;
  for (size_t gate = 0; gate < gates.size(); ++gate) gates[gate] = values.data() + gate * room;
  float *state = values.data() + 4 * room, *fedBack = values.data() + 5 * room;
  const auto gatesEnd = layer.gates.begin() + 4;
  std::vector<Products> products;
  if (std::all_of(layer.gates.begin(), gatesEnd, Products::canMultiply)) products = {layer.gates.begin(), gatesEnd};
  std::vector<uint8_t> inputs(static_cast<size_t>(layer.fedInputs + 3), 128);
  for (int y = 0, step = 0; y < input.map.height(); ++y) {
    std::fill_n(state, 2 * room, 0.0F);
    for (int x = 0; x < input.map.width(); ++x, ++step) {
      int8_t *source = layer.source.bytes.row(step);
      std::memcpy(source, input.bytes.row(step), static_cast<size_t>(layer.inputs));
      quantize(fedBack, states, source + layer.inputs);
      if (products.empty()) {
        for (size_t gate = 0; gate < gates.size(); ++gate) library().multiply(&layer.gates[gate], source, gates[gate]);
      } else {
        for (int index = 0; index < layer.fedInputs; ++index) inputs[index] = static_cast<uint8_t>(source[index]) ^ 128;
        for (size_t gate = 0; gate < gates.size(); ++gate) products[gate].multiply(inputs.data(), gates[gate]);
      }
      stepCells(tangents, logistics, states, gates.data(), state, fedBack);
      if (!isSummary) quantize(fedBack, states, output.bytes.row(step));
    }
    if (isSummary) quantize(fedBack, states, output.bytes.row(y));
  }
}

bool isConvolvable(const Convolve &layer, const NetworkIO &input) {
  return input.isOnePictureOfBytes() && layer.inputs > 0 && layer.inputs == input.bytes.columns
         && layer.outputs == layer.inputs * (2 * layer.halfWidth + 1) * (2 * layer.halfHeight + 1);
}

bool isPoolable(const Maxpool &layer, const NetworkIO &input) {
  return input.isOnePictureOfBytes() && !layer.isTraining() && layer.inputs == input.bytes.columns && layer.outputs == layer.inputs
         && layer.xScale > 0 && layer.yScale > 0;
}

bool isOfOneDimension(const LSTM &layer, const NetworkIO &input) {
  const auto isOfBytes = [&](const WeightMatrix &gate) {
    return gate.isBytes && gate.bytes.rows == layer.states && gate.bytes.columns == layer.fedInputs + 1;
  };
  return (layer.type == Network::lstm || layer.type == Network::lstmSummary) && input.isOnePictureOfBytes() && !layer.isTraining()
         && !layer.isOfTwoDimensions && !layer.softmax && layer.furtherFeedback == 0 && layer.inputs == input.bytes.columns
         && layer.outputs == layer.states && layer.fedInputs == layer.inputs + layer.states
         && std::all_of(layer.gates.begin(), layer.gates.begin() + 4, isOfBytes);
}

// Compares the library's functions with this file's on one small picture.
class Comparison {
 public:
  static bool agrees() {
    NetworkIO input{}, ours{}, theirs{}, ourMaxima{}, theirMaxima{};
    const std::array<NetworkIO *, 5> pictures{&input, &ours, &theirs, &ourMaxima, &theirMaxima};
    for (NetworkIO *each : pictures) {
      each->floats.virtual_table = library().floats + 2;
      each->bytes.virtual_table = library().bytes + 2;
    }
    StrideMap map{{1, height, width}, {height * width, width, 1}, {height}, {width}};
    library().resize(&input, true, &map, 1);
    if (!input.isBytes || !input.bytes.values || input.bytes.rows != count || input.bytes.columns != 1) return false;
    const std::array<float, count> values = pattern();
    for (int pixel = 0; pixel < count; ++pixel) library().write(&input, pixel, 0, 1, &values[pixel]);
    std::array<int8_t, count> quantized;
    quantize(values.data(), count, quantized.data());
    bool agrees = std::equal(quantized.begin(), quantized.end(), input.bytes.values) && activationsAgree(values);

    // `std::minstd_rand`, one word of state.
    uint64_t ourRandom = 1, theirRandom = 1;
    Convolve convolution{};
    convolution.inputs = 1, convolution.outputs = 9, convolution.halfWidth = 1, convolution.halfHeight = 1;
    convolution.randomizer = &theirRandom;
    library().convolve(&convolution, false, &input, nullptr, nullptr, &theirs);
    convolution.randomizer = &ourRandom;
    agrees = agrees && isConvolvable(convolution, input);
    if (agrees) convolve(convolution, input, ours);
    agrees = agrees && areEqual(ours, theirs, count * 9) && ourRandom == theirRandom;

    Maxpool pooling{};
    pooling.inputs = 9, pooling.outputs = 9, pooling.xScale = 3, pooling.yScale = 3;
    pooling.maxima.virtual_table = library().integers + 2;
    if (agrees) {
      library().maxpool(&pooling, false, &theirs, nullptr, nullptr, &theirMaxima);
      agrees = isPoolable(pooling, ours);
      if (agrees) maxpool(pooling, ours, ourMaxima);
      agrees = agrees && areEqual(ourMaxima, theirMaxima, (width / 3) * (height / 3) * 9);
    }
    for (NetworkIO *each : pictures) delete[] each->bytes.values;
    delete[] pooling.maxima.values;
    return agrees;
  }

 private:
  // Not multiples of 3, so that the maxima leave an edge.
  static constexpr int width = 11, height = 7, count = width * height;

  // Values that exceed -1...1 and include halves.
  static std::array<float, count> pattern() {
    std::array<float, count> values;
    for (int index = 0; index < count; ++index) {
      const float value = static_cast<float>((index * 37) % 261 - 130) / 254;
      values[index] = index % 5 == 0 ? value * 3 : value;
    }
    return values;
  }

  static bool activationsAgree(std::array<float, count> values) {
    std::array<float, count> theirs = values;
    Network layer{};
    layer.type = Network::hyperbolicTangent;
    layer.outputs = count;
    if (library().activateStep) {
      library().activateStep(&layer, 0, theirs.data());
    } else {
      library().activate(&layer, theirs.data());
    }
    activate(library().tangents, count, values.data());
    return values == theirs;
  }

  static bool areEqual(const NetworkIO &first, const NetworkIO &second, int count) {
    return first.isBytes && second.isBytes && first.bytes.rows * first.bytes.columns == count
           && second.bytes.rows * second.bytes.columns == count
           && std::equal(first.bytes.values, first.bytes.values + count, second.bytes.values);
  }
};

__attribute__((constructor)) void compareLayers() { replacesLayers = library().isKnown() && Comparison::agrees(); }

// LSTM layers cannot be constructed for a comparison, so both implementations run the first ones, those of at least two
// lines.
std::atomic<int> comparisonsLeft{8};

void compareLongShortTerm(LSTM &layer, const NetworkIO &input, void *scratch, NetworkIO &output) {
  --comparisonsLeft;
  longShortTerm(layer, input, output);
  const std::vector<int8_t> ours(output.bytes.values, output.bytes.row(output.bytes.rows));
  library().longShortTerm(&layer, false, &input, nullptr, scratch, &output);
  if (!std::equal(ours.begin(), ours.end(), output.bytes.values, output.bytes.row(output.bytes.rows))) replacesLayers = false;
}

bool activates(const Network &layer) { return replacesLayers && layer.type == Network::hyperbolicTangent; }

}  // namespace

void serialscan_convolve(
    Network *layer, bool draws, const NetworkIO *input, const void *transposed, void *scratch, NetworkIO *output) {
  const auto &convolution = *static_cast<Convolve *>(layer);
  if (replacesLayers && isConvolvable(convolution, *input)) return convolve(convolution, *input, *output);
  library().convolve(layer, draws, input, transposed, scratch, output);
}

void serialscan_maxpool(
    Network *layer, bool draws, const NetworkIO *input, const void *transposed, void *scratch, NetworkIO *output) {
  const auto &pooling = *static_cast<Maxpool *>(layer);
  if (replacesLayers && isPoolable(pooling, *input)) return maxpool(pooling, *input, *output);
  library().maxpool(layer, draws, input, transposed, scratch, output);
}

void serialscan_long_short_term(
    Network *layer, bool draws, const NetworkIO *input, const void *transposed, void *scratch, NetworkIO *output) {
  auto &cells = *static_cast<LSTM *>(layer);
  if (!replacesLayers || !isOfOneDimension(cells, *input)) {
    return library().longShortTerm(layer, draws, input, transposed, scratch, output);
  }
  if (comparisonsLeft > 0) return compareLongShortTerm(cells, *input, scratch, *output);
  longShortTerm(cells, *input, *output);
}

void serialscan_write(NetworkIO *output, int pixel, int offset, int count, const float *values) {
  if (!replacesLayers || !output->isBytes) return library().write(output, pixel, offset, count, values);
  quantize(values, count, output->bytes.row(pixel) + offset);
}

void serialscan_activate_step(Network *layer, int step, float *values) {
  if (activates(*layer)) return activate(library().tangents, layer->outputs, values);
  library().activateStep(layer, step, values);
}

void serialscan_activate(Network *layer, float *values) {
  if (activates(*layer)) return activate(library().tangents, layer->outputs, values);
  library().activate(layer, values);
}

bool tesseract_layers_take_one_pass(void) {
  const auto isFirst = [](const char *name, auto *function) { return dlsym(RTLD_DEFAULT, name) == reinterpret_cast<void *>(function); };
  return replacesLayers && isFirst(CONVOLVE, serialscan_convolve) && isFirst(MAXPOOL, serialscan_maxpool)
         && isFirst(LONG_SHORT_TERM, serialscan_long_short_term) && isFirst(WRITE, serialscan_write);
}
