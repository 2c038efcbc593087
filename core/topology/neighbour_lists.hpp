// The nearest neighbours of every row of a set, kept from one refresh to the next.
//
// Between two refreshes few rows move when the interval is short. A row that did not move keeps its list, less the
// neighbours that moved, plus those that have come closer than anything outside the list. Lists are a few entries longer
// than needed, so that losing some does not force a new search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "numeric/blocked_rows.hpp"

namespace phida {

// Ordered by distance, then by row: the one order of candidates.
struct Neighbour {
  double distance = 0.0;
  std::int32_t row = 0;

  bool operator<(const Neighbour& other) const {
    return distance < other.distance || (distance == other.distance && row < other.row);
  }
};

class NeighbourLists {
 public:
  // Brings the lists up to date for the rows that `members` names. Rows with the stamps of the last call have not
  // moved; no two rows ever share a stamp. True if the lists hold: false where so many rows moved that keeping lists does
  // not pay, or where distances are no numbers, and the caller does better with a plain search.
  bool update(const RowMatrix& rows, std::span<const std::int32_t> members,
              std::span<const std::int64_t> stamps, std::size_t k);

  // The neighbours of a member's row, nearest first, at least k.
  std::span<const Neighbour> of(std::int32_t row) const {
    const List& list = lists_[slot_[row]];
    return {list.entry, list.size};
  }

 private:
  // One row has up to four neighbours in the graph; the kernel finds a row and its five nearest in one pass.
  static constexpr std::size_t kLength = 5;

  struct List {
    Neighbour entry[kLength];
    std::size_t size = 0;
    Neighbour bound;  // whatever is not in the list is not before this

    void insert(const Neighbour& neighbour);
  };

  std::size_t note_changes(const RowMatrix& rows, std::span<const std::int32_t> members,
                           std::span<const std::int64_t> stamps);
  void renew_all(const RowMatrix& rows);
  void renew_changed(const RowMatrix& rows, std::size_t k);
  void search(const RowMatrix& rows, std::size_t slot, bool all_squares);
  void insert(std::size_t slot, const Neighbour& neighbour);

  std::vector<std::int32_t>
      slot_;  // per row, -1 outside the set; slots keep their place while rows come
  std::vector<std::int32_t> row_;      // per slot
  std::vector<std::int64_t> stamp_;    // per slot
  std::vector<std::uint8_t> changed_;  // per slot, in this call
  std::vector<std::size_t> changes_;   // the slots that changed
  std::vector<List> lists_;            // per slot
  std::vector<double> limit_;          // per slot: squares beyond this cannot enter its list
  bool hold_ = false;                  // the lists were right after the last call
  BlockedRows blocks_;                 // per slot
  AlignedDoubles squares_;
  std::vector<std::int32_t> found_;
};

}  // namespace phida
