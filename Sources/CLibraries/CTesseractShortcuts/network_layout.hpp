#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// The memory layout of Tesseract's network objects, the same from 5.0.0 to 5.5.3 (src/lstm, src/ccstruct/matrix.h), for
// layers_in_one_pass.cpp. The namespace has a name because functions with parameters of unnamed namespaces are not
// exported.
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

  // The values of `NetworkType` that are handled here.
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
  // Number of values of a step's input including feedback; of states; of further feedback.
  int32_t fedInputs, states, furtherFeedback;
  bool isOfTwoDimensions;
  // Of the cell input, the input, forget and output gates, and the gate that forgets the previous row.
  std::array<WeightMatrix, 5> gates;
  void *softmax;
  NetworkIO source;
};

}  // namespace serialscan
