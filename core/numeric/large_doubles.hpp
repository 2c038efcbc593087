// Large arrays of doubles that are written before they are read. They start uninitialised, and on huge pages where the
// system has some: megabytes in small pages can take longer to get than to fill.
#pragma once

#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "numeric/row_matrix.hpp"

namespace phida {

template <class T>
struct Large : CacheAligned<T> {
  template <class U>
  struct rebind {
    using other = Large<U>;
  };

  static constexpr std::size_t kHugePage = 2 << 20;
  static constexpr bool is_huge(std::size_t n) { return n * sizeof(T) >= 2 * kHugePage; }

  T* allocate(std::size_t n) {
    if (!is_huge(n)) return CacheAligned<T>::allocate(n);
    const std::size_t bytes = (n * sizeof(T) + kHugePage - 1) / kHugePage * kHugePage;
    void* const array = ::operator new(bytes, std::align_val_t{kHugePage});
#if defined(__linux__)
    madvise(array, bytes, MADV_HUGEPAGE);  // if refused, pages are small
#endif
    return static_cast<T*>(array);
  }
  void deallocate(T* array, std::size_t n) {
    if (!is_huge(n)) return CacheAligned<T>::deallocate(array, n);
    ::operator delete(array, std::align_val_t{kHugePage});
  }

  template <class U>
  void construct(U* p) noexcept {
    ::new (static_cast<void*>(p)) U;
  }
};

using LargeDoubles = std::vector<double, Large<double>>;

}  // namespace phida
