#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// How Tesseract's library lays out the objects of its networks, the same from 5.0.0 to 5.5.3 (src/lstm, src/ccstruct/matrix.h), for
// layers_in_one_pass.cpp. A named namespace: libraries don't see functions that take types of an unnamed one.
namespace serialscan {

// `GENERIC_2D_ARRAY<T>`
template <typename T>
struct Array {
  void *virtual_table;
  T *values;
  T empty;
  int rows, columns, allocated;

  T *row(int index) const { return values + static_cast<size_t>(index) * columns; }
};

// `StrideMap`. Dimensions are batch, height, width.
struct StrideMap {
  std::array<int, 3> shape, increments;
  std::vector<int> heights, widths;

  int height() const { return shape[1]; }
  int width() const { return shape[2]; }

  // Whether there is one picture, which fills the map.
  bool isOnePicture() const {
    return shape[0] == 1 && heights.size() == 1 && widths.size() == 1 && heights[0] == height() && widths[0] == width();
  }
};

// `NetworkIO`: a row of values for each pixel.
struct NetworkIO {
  Array<float> floats;
  Array<int8_t> bytes;
  bool isBytes;
  StrideMap map;

  bool isOnePictureOfBytes() const { return isBytes && map.isOnePicture(); }
};

// `Network`, the base of all layers.
struct Network {
  void *virtual_table;
  int type, training;
  bool needsToBackpropagate;
  int32_t flags, inputs, outputs, weights;
  std::string name;
  void *forwardWindow, *backwardWindow, *randomizer;

  // Those of `NetworkType` that are handled here.
  enum Type { lstm = 14, lstmSummary = 15, hyperbolicTangent = 19 };
  bool isTraining() const { return training == 1; }
};

struct Convolve : Network {
  int32_t halfWidth, halfHeight;
};

struct Reconfig : Network {
  StrideMap backMap;
  int32_t xScale, yScale;
};

struct Maxpool : Reconfig {
  Array<int> maxima;
};

struct WeightMatrix {
  Array<float> floats;
  Array<int8_t> bytes;
  Array<float> transposed;
  bool isBytes, usesAdam;
  std::vector<float> scales;
  Array<float> deltas, updates, squaredDeltas;
  std::vector<int8_t> shaped;
};

struct LSTM : Network {
  // Values of a step's input with what is fed back; states; values fed back beside them.
  int32_t fedInputs, states, furtherFeedback;
  bool isOfTwoDimensions;
  // Of the cell's input, the gates of input, forgetting and output, and that of forgetting the row before.
  std::array<WeightMatrix, 5> gates;
  void *softmax;
  NetworkIO source;
};

}  // namespace serialscan
