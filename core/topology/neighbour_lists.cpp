#include "topology/neighbour_lists.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd/kernels.hpp"

namespace phida {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Relative error of distances, and of moves after they are lengthened by it.
constexpr double kRounding = 1e-9;

// A row is compared with all lists once it has moved this share of the mean distance between the needed neighbours
// and the reach. A larger share makes valid lists fail, a smaller one compares too often.
constexpr double kMoveShare = 0.1;

// An upper bound of squares whose root is at most `distance`.
double square_up_to(double distance) { return distance * distance * (1.0 + 1e-15); }

double squared_distance(const double* a, const double* b, std::size_t dims) {
  double sum = 0.0;
  for (std::size_t j = 0; j < dims; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

}  // namespace

bool NeighbourLists::List::has(std::int32_t row) const {
  for (std::size_t e = 0; e < size; ++e)
    if (entry[e].row == row) return true;
  return false;
}

void NeighbourLists::List::insert(const Neighbour& neighbour) {
  if (size == kLength) {
    const Neighbour last = entry[kLength - 1];
    reach = std::min(reach, std::max(last, neighbour).distance);
    if (last < neighbour) return;
    --size;
  }
  std::size_t at = size++;
  for (; at > 0 && neighbour < entry[at - 1]; --at) entry[at] = entry[at - 1];
  entry[at] = neighbour;
}

void NeighbourLists::List::sort() {
  for (std::size_t e = 1; e < size; ++e) {
    const Neighbour moved = entry[e];
    std::size_t at = e;
    for (; at > 0 && moved < entry[at - 1]; --at) entry[at] = entry[at - 1];
    entry[at] = moved;
  }
}

bool NeighbourLists::update(const RowMatrix& rows, std::span<const std::int32_t> members,
                            std::span<const std::int64_t> stamps, std::size_t k) {
  if (blocks_.dims() != rows.cols()) {
    *this = NeighbourLists();
    blocks_ = BlockedRows(rows.cols());
    place_ = RowMatrix(rows.cols());
  }
  note_changes(rows, members, stamps);
  const std::size_t n = row_.size();
  searched_.assign(n, 0);
  squares_.resize(padded(n));
  found_.resize(padded(n));
  for (std::size_t slot = 0; slot < n; ++slot) renew_distances(slot);
  for (const std::size_t slot : changes_)
    if (!(moved_[slot] <= longest_move_)) search(rows, slot);
  const std::size_t needed = std::min(k, n - 1);
  search_where_needed(rows, needed);
  // NaN distances leave lists too short.
  return std::all_of(lists_.begin(), lists_.end(),
                     [&](const List& list) { return list.size >= needed; });
}

// Gives every member a slot and records how far it moved; restarts if a row has left the set.
void NeighbourLists::note_changes(const RowMatrix& rows, std::span<const std::int32_t> members,
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
      limit_.push_back(kInfinity);
      moved_.push_back(kInfinity);
      place_.append(rows[row]);
      blocks_.append(rows[row]);
    }
    const auto slot = static_cast<std::size_t>(slot_[row]);
    if (stamp_[slot] == stamps[row]) continue;
    stamp_[slot] = stamps[row];
    note_move(rows, slot);
  }
  if (row_.size() == members.size()) return;
  slot_.clear();
  row_.clear();
  stamp_.clear();
  changed_.clear();
  lists_.clear();
  limit_.clear();
  moved_.clear();
  place_.resize(0);
  blocks_.resize(0);
  note_changes(rows, members, stamps);
}

void NeighbourLists::note_move(const RowMatrix& rows, std::size_t slot) {
  const double* const row = rows[row_[slot]];
  const double move =
      std::sqrt(squared_distance(row, place_[slot], rows.cols())) * (1.0 + kRounding);
  std::copy_n(row, rows.cols(), place_[slot]);
  blocks_.set(slot, row);
  moved_[slot] += move;
  lists_[slot].reach -= move;
  limit_[slot] = square_up_to(std::max(lists_[slot].reach, 0.0));
  changed_[slot] = 1;
  changes_.push_back(slot);
}

// Recomputes distances to neighbours that moved, or to all if the row itself moved. The same bits as the kernels'.
void NeighbourLists::renew_distances(std::size_t slot) {
  List& list = lists_[slot];
  std::uint8_t any = changed_[slot];
  for (std::size_t e = 0; e < list.size; ++e) any |= changed_[slot_[list.entry[e].row]];
  if (!any) return;
  for (std::size_t e = 0; e < list.size; ++e) {
    const std::size_t other = slot_[list.entry[e].row];
    if (!changed_[slot] && !changed_[other]) continue;
    list.entry[e].distance =
        std::sqrt(squared_distance(place_[slot], place_[other], place_.cols()));
    if (list.entry[e].distance < kInfinity) continue;
    list.size = 0;  // NaN: the list is searched again, and may fail
    list.reach = 0.0;
    return;
  }
  list.sort();
}

// Searches a row's neighbours, and adds the row to the lists that it belongs to.
void NeighbourLists::search(const RowMatrix& rows, std::size_t slot) {
  const std::size_t found =
      kernels().nearest(rows[row_[slot]], nullptr, blocks_.data(), blocks_.blocks(), rows.cols(),
                        kLength + 1, true, squares_.data(), found_.data());
  List& list = lists_[slot];
  list.size = 0;
  list.reach = kInfinity;
  for (std::size_t f = 0; f < found; ++f) {
    const auto other = static_cast<std::size_t>(found_[f]);
    if (other != slot && other < row_.size())
      list.insert({std::sqrt(squares_[other]), row_[other]});
  }
  // Rows that the kernel did not return are at least as far as the last that it did.
  if (list.size == kLength && list.reach == kInfinity)
    list.reach = list.entry[kLength - 1].distance;
  limit_[slot] = square_up_to(list.reach);
  searched_[slot] = 1;
  moved_[slot] = 0.0;
  const std::size_t near =
      kernels().positions_within(squares_.data(), limit_.data(), row_.size(), found_.data());
  for (std::size_t f = 0; f < near; ++f) {
    const auto other = static_cast<std::size_t>(found_[f]);
    if (other == slot || lists_[other].has(row_[slot])) continue;
    lists_[other].insert({std::sqrt(squares_[other]), row_[slot]});
    limit_[other] = square_up_to(std::max(lists_[other].reach, 0.0));
  }
}

// Searches lists in which a row may be missing from the `needed` nearest.
void NeighbourLists::search_where_needed(const RowMatrix& rows, std::size_t needed) {
  const double longest = *std::max_element(moved_.begin(), moved_.end());
  double margins = 0.0;
  std::size_t n_margins = 0;
  for (std::size_t slot = 0; slot < row_.size(); ++slot) {
    const List& list = lists_[slot];
    const bool short_of = list.size < needed;
    const double farthest = short_of || needed == 0 ? 0.0 : list.entry[needed - 1].distance;
    const bool holds = !short_of && farthest < (list.reach - longest) * (1.0 - kRounding);
    if (!searched_[slot] && !holds) search(rows, slot);
    const double margin = lists_[slot].reach - farthest;
    if (!(margin < kInfinity)) continue;
    margins += margin;
    ++n_margins;
  }
  longest_move_ = n_margins == 0 ? 0.0 : kMoveShare * margins / static_cast<double>(n_margins);
}

}  // namespace phida
