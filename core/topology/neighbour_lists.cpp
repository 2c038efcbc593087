#include "topology/neighbour_lists.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd/kernels.hpp"

namespace phida {
namespace {

constexpr Neighbour kNothing{std::numeric_limits<double>::infinity(),
                             std::numeric_limits<std::int32_t>::max()};

// A square that may have a root up to `distance`.
double square_up_to(double distance) { return distance * distance * (1.0 + 1e-15); }

}  // namespace

void NeighbourLists::List::insert(const Neighbour& neighbour) {
  if (!(neighbour < bound)) return;
  if (size == kLength) {
    bound = std::max(neighbour, entry[kLength - 1]);
    if (entry[kLength - 1] < neighbour) return;
    --size;
  }
  std::size_t at = size++;
  for (; at > 0 && neighbour < entry[at - 1]; --at) entry[at] = entry[at - 1];
  entry[at] = neighbour;
}

void NeighbourLists::insert(std::size_t slot, const Neighbour& neighbour) {
  lists_[slot].insert(neighbour);
  limit_[slot] = square_up_to(lists_[slot].bound.distance);
}

bool NeighbourLists::update(const RowMatrix& rows, std::span<const std::int32_t> members,
                            std::span<const std::int64_t> stamps, std::size_t k) {
  const std::size_t changed = note_changes(rows, members, stamps);
  const bool held = hold_;
  hold_ = 2 * changed <= members.size();
  if (!hold_) return false;
  if (blocks_.dims() != rows.cols()) blocks_ = BlockedRows(rows.cols());
  squares_.resize(padded(row_.size()));
  found_.resize(padded(row_.size()));
  limit_.resize(row_.size());
  if (held)
    renew_changed(rows, k);
  else
    renew_all(rows);
  // Distances that are no numbers leave lists too short.
  const std::size_t needed = std::min(k, row_.size() - 1);
  hold_ = std::all_of(lists_.begin(), lists_.end(),
                      [&](const List& list) { return list.size >= needed; });
  return hold_;
}

// Gives every member a slot and marks those that are new or moved; starts over where a row has left the set.
std::size_t NeighbourLists::note_changes(const RowMatrix& rows,
                                         std::span<const std::int32_t> members,
                                         std::span<const std::int64_t> stamps) {
  slot_.resize(std::max(slot_.size(), rows.rows()), -1);
  changes_.clear();
  std::fill(changed_.begin(), changed_.end(), std::uint8_t{0});
  for (const std::int32_t row : members) {
    if (slot_[row] < 0) {
      slot_[row] = static_cast<std::int32_t>(row_.size());
      row_.push_back(row);
      stamp_.push_back(0);
      changed_.push_back(0);
      lists_.emplace_back();
    }
    const auto slot = static_cast<std::size_t>(slot_[row]);
    if (stamp_[slot] == stamps[row]) continue;
    stamp_[slot] = stamps[row];
    changed_[slot] = 1;
    changes_.push_back(slot);
  }
  if (row_.size() == members.size()) return changes_.size();
  slot_.clear();
  row_.clear();
  stamp_.clear();
  changed_.clear();
  lists_.clear();
  hold_ = false;
  return note_changes(rows, members, stamps);
}

void NeighbourLists::search(const RowMatrix& rows, std::size_t slot, bool all_squares) {
  const std::size_t found =
      kernels().nearest(rows[row_[slot]], nullptr, blocks_.data(), blocks_.blocks(), rows.cols(),
                        kLength + 1, all_squares, squares_.data(), found_.data());
  List& list = lists_[slot];
  list.size = 0;
  list.bound = kNothing;
  for (std::size_t f = 0; f < found; ++f) {
    const auto other = static_cast<std::size_t>(found_[f]);
    if (other != slot && other < row_.size())
      list.insert({std::sqrt(squares_[other]), row_[other]});
  }
  // The rows that the kernel did not name are no nearer than the last it did.
  if (list.size == kLength && !(list.bound < kNothing)) list.bound = list.entry[kLength - 1];
  limit_[slot] = square_up_to(list.bound.distance);
}

void NeighbourLists::renew_all(const RowMatrix& rows) {
  blocks_.assign(rows, row_);
  for (std::size_t slot = 0; slot < row_.size(); ++slot) search(rows, slot, false);
}

void NeighbourLists::renew_changed(const RowMatrix& rows, std::size_t k) {
  blocks_.resize(row_.size());
  for (const std::size_t slot : changes_) blocks_.set(slot, rows[row_[slot]]);
  for (std::size_t slot = 0; slot < row_.size(); ++slot) {
    List& list = lists_[slot];
    std::size_t kept = 0;
    for (std::size_t e = 0; e < list.size; ++e)
      if (!changed_[slot_[list.entry[e].row]]) list.entry[kept++] = list.entry[e];
    list.size = kept;
  }
  for (const std::size_t moved : changes_) {
    search(rows, moved, true);
    const std::size_t found =
        kernels().positions_within(squares_.data(), limit_.data(), row_.size(), found_.data());
    for (std::size_t f = 0; f < found; ++f) {
      const auto slot = static_cast<std::size_t>(found_[f]);
      if (!changed_[slot]) insert(slot, {std::sqrt(squares_[slot]), row_[moved]});
    }
  }
  for (std::size_t slot = 0; slot < row_.size(); ++slot)
    if (lists_[slot].size < std::min(k, row_.size() - 1)) search(rows, slot, false);
}

}  // namespace phida
