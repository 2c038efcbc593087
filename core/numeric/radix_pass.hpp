// One pass of a radix sort: stable, by one digit.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace phida {

constexpr int kDigitBits = 11;
constexpr std::uint32_t kDigitMask = (1u << kDigitBits) - 1;

// Copies `from` to `to`, of the same length, in ascending order of digit(item).
template <class Item, class Digit>
void radix_pass(std::span<const Item> from, std::span<Item> to, Digit digit) {
  std::array<std::uint32_t, kDigitMask + 1> next{};
  for (const Item& item : from) ++next[digit(item)];
  std::uint32_t start = 0;
  for (std::uint32_t& count : next) {
    const std::uint32_t size = count;
    count = start;
    start += size;
  }
  for (const Item& item : from) to[next[digit(item)]++] = item;
}

}  // namespace phida
