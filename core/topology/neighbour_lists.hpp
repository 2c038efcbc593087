// The nearest neighbours of every row of a set, kept from one refresh to the next.
//
// Rows move little between two refreshes. A list has a few more neighbours than needed, with current distances, and a
// reach: all other rows were at least that far away. A move shortens the reach by its length, by the triangle
// inequality. A list is searched again only if another row may have come near enough to belong to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "numeric/blocked_rows.hpp"

namespace phida {

// Ordered by distance, then by row: the order of candidates.
struct Neighbour {
  double distance = 0.0;
  std::int32_t row = 0;

  bool operator<(const Neighbour& other) const {
    return distance < other.distance || (distance == other.distance && row < other.row);
  }
};

class NeighbourLists {
 public:
  // Updates the lists for the rows in `members`. Rows with the stamps of the last call have not moved; stamps are
  // unique. Returns true if the lists hold. It returns false if distances are NaN, when a plain search is better.
  bool update(const RowMatrix& rows, std::span<const std::int32_t> members,
              std::span<const std::int64_t> stamps, std::size_t k);

  // The neighbours of a member's row, nearest first, at least k.
  std::span<const Neighbour> of(std::int32_t row) const {
    const List& list = lists_[slot_[row]];
    return {list.entry, list.size};
  }

 private:
  // A row has up to four neighbours in the graph; the kernel finds a row and its five nearest in one pass.
  static constexpr std::size_t kLength = 5;

  struct List {
    Neighbour entry[kLength];
    std::size_t size = 0;
    double reach = 0.0;  // minimum distance of rows outside the list, reduced by its own moves

    bool has(std::int32_t row) const;
    void insert(const Neighbour& neighbour);
    void sort();
  };

  void note_changes(const RowMatrix& rows, std::span<const std::int32_t> members,
                    std::span<const std::int64_t> stamps);
  void note_move(const RowMatrix& rows, std::size_t slot);
  void renew_distances(std::size_t slot);
  void search(const RowMatrix& rows, std::size_t slot);
  void search_where_needed(const RowMatrix& rows, std::size_t needed);

  std::vector<std::int32_t>
      slot_;  // per row, -1 outside the set; slots keep their place when rows are added
  std::vector<std::int32_t> row_;       // per slot
  std::vector<std::int64_t> stamp_;     // per slot
  std::vector<std::uint8_t> changed_;   // per slot, in this call
  std::vector<std::uint8_t> searched_;  // per slot, in this call
  std::vector<std::size_t> changes_;    // the slots that changed
  std::vector<List> lists_;             // per slot
  std::vector<double> limit_;           // per slot: larger squares cannot enter its list
  // per slot: length moved since it was compared with all lists
  std::vector<double> moved_;
  double longest_move_ = 0.0;  // a row that moved farther is compared again
  RowMatrix place_;            // per slot: its row at this call, and before that at the last one
  BlockedRows blocks_;         // per slot
  AlignedDoubles squares_;
  std::vector<std::int32_t> found_;
};

}  // namespace phida
