#pragma once

#include "network_layout.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace serialscan {

#if defined(__x86_64__)
// The byte matrix of a gate, in the library's order for AVX2: for each set of 64, 32, 16 or 8 outputs and each group of four inputs, the
// four weights of each output, and at the end of the set its biases. The library multiplies it in four instructions for what one does that
// processors have since 2019; the sums are of whole numbers, so they are the same.
class Products {
 public:
  // Whether this processor has that instruction, and these are the library's sizes of such a matrix.
  static bool canMultiply(const WeightMatrix &gate) {
    static const bool isFast = __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
    const Products products(gate, Order{});
    return isFast && gate.shaped.size() == static_cast<size_t>(products.outputs) * (products.groups * 4 + 1)
           && gate.scales.size() >= static_cast<size_t>(products.outputs);
  }

  explicit Products(const WeightMatrix &gate) : Products(gate, Order{}) {
    // Inputs are unsigned for the instruction, 128 more than they are.
    const std::vector<uint8_t> zeros(static_cast<size_t>(groups) * 4, 128);
    offsets.resize(static_cast<size_t>(outputs));
    std::vector<float> products(static_cast<size_t>(outputs));
    multiply<true>(zeros.data(), products.data());
  }

  // Multiplies the matrix by inputs that are 128 more than they are, of a multiple of four.
  void multiply(const uint8_t *inputs, float *products) { multiply<false>(inputs, products); }

 private:
  struct Order {};
  Products(const WeightMatrix &gate, Order)
      : outputs((gate.bytes.rows + 7) / 8 * 8),
        groups((gate.bytes.columns - 1 + 3) / 4),
        weights(gate.shaped.data()),
        scales(gate.scales.data()) {}

  template <bool setsOffsets>
  void multiply(const uint8_t *inputs, float *products) {
    const int8_t *set = weights;
    int output = 0;
    while (output + 64 <= outputs) multiplySet<8, setsOffsets>(set, output, inputs, products);
    if (output + 32 <= outputs) multiplySet<4, setsOffsets>(set, output, inputs, products);
    if (output + 16 <= outputs) multiplySet<2, setsOffsets>(set, output, inputs, products);
    if (output + 8 <= outputs) multiplySet<1, setsOffsets>(set, output, inputs, products);
  }

  // Multiplies one set, and moves on to the next.
  template <int registers, bool setsOffsets>
  __attribute__((target("avx2,avx512f,avx512vl,avx512vnni"))) void multiplySet(
      const int8_t *&set, int &output, const uint8_t *inputs, float *products) {
    std::array<__m256i, registers> sums;
    for (auto &sum : sums) sum = _mm256_setzero_si256();
    for (int group = 0; group < groups; ++group, inputs += 4) {
      int32_t four;
      std::memcpy(&four, inputs, sizeof four);
      for (auto &sum : sums) {
        sum = _mm256_dpbusd_epi32(sum, _mm256_set1_epi32(four), _mm256_loadu_si256(reinterpret_cast<const __m256i *>(set)));
        set += sizeof sum;
      }
    }
    for (auto &sum : sums) {
      auto *offset = reinterpret_cast<__m256i *>(offsets.data() + output);
      if (setsOffsets) {
        const __m256i biases = _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(set)));
        _mm256_storeu_si256(offset, _mm256_sub_epi32(_mm256_mullo_epi32(biases, _mm256_set1_epi32(INT8_MAX)), sum));
      } else {
        const __m256 whole = _mm256_cvtepi32_ps(_mm256_add_epi32(sum, _mm256_loadu_si256(offset)));
        _mm256_storeu_ps(products + output, _mm256_mul_ps(whole, _mm256_loadu_ps(scales + output)));
      }
      set += 8, output += 8;
    }
  }

  int outputs, groups;
  const int8_t *weights;
  const float *scales;
  // For each output its bias, less 128 times the sum of its weights.
  std::vector<int32_t> offsets;
};
#else
// Other processors multiply with the library's functions.
struct Products {
  static bool canMultiply(const WeightMatrix &) { return false; }
  explicit Products(const WeightMatrix &) {}
  void multiply(const uint8_t *, float *) {}
};
#endif

}  // namespace serialscan
