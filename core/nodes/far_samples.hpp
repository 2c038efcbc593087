// Far samples: samples that fit their winner badly although the vigilance of the window would let them pass. Not in the
// paper.
//
// The threshold theta follows a quantile of the misfit: the one that is exceeded with frequency q. This frequency falls
// with every far sample, so that the number of nodes grows slowly.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "nodes/vigilance.hpp"
#include "numeric/elementary.hpp"

namespace phida {

struct FarSamples {
  static constexpr double kFloor = -13.815510557964274;  // ln 1e-6: keeps the vigilance below 1

  static constexpr double kAbsent = 1e3;            // above any ln theta
  static constexpr double kLeastExponent = -690.0;  // what portable_exp takes

  static constexpr double kNearly = 1e-10;  // far above the rounding errors of logarithms

  bool present = false;    // log_theta is set
  double log_theta = 0.0;  // ln theta
  std::int64_t n_far = 3;  // far samples so far, and the three that every stream begins with

  // Distance to the winner in units of its scale, as a sample of a mean of `support` samples would see it (v).
  static double misfit(double distance, double scale, double support) {
    return distance / std::max(scale, 1e-12) / std::sqrt(1.0 + 1.0 / support);
  }

  // Is a sample with this misfit far? The first positive one sets the threshold.
  bool judge(double v) {
    if (v < std::numeric_limits<double>::min()) return false;
    if (!present) {
      present = true;
      log_theta = portable_log(v);
      return false;
    }
    known_log_theta = log_theta;
    known_theta = portable_exp(log_theta);
    return is_far(v, known_theta);
  }

  // The similarity that the threshold stands for.
  double similarity() const {
    if (!present) return 0.0;
    return 1.0 / (1.0 + (log_theta == known_log_theta ? known_theta : portable_exp(log_theta)));
  }

  // After a sample; `interval` is lambda.
  void adjust(bool far, std::size_t interval) {
    const double length = static_cast<double>(std::max<std::size_t>(interval, 2));
    const double exponent = std::max(-static_cast<double>(n_far) / length, kLeastExponent);
    if (exponent != known_exponent) {
      known_exponent = exponent;
      known_frequency = portable_exp(exponent);
    }
    const double frequency = known_frequency;
    n_far += far;
    if (present) log_theta = std::max(log_theta + ((far ? 1.0 : 0.0) - frequency) / length, kFloor);
  }

 private:
  // ln v > ln theta. The logarithm costs as much as matching a few nodes, and matters only where both nearly agree.
  bool is_far(double v, double theta) const {
    if (v > theta * (1.0 + kNearly)) return true;
    if (v < theta * (1.0 - kNearly)) return false;
    return portable_log(v) > log_theta;
  }

  // The last exponentials. The frequency changes with n_far and the interval alone.
  double known_exponent = 0.0;
  double known_frequency = 1.0;
  double known_log_theta = 0.0;
  double known_theta = 1.0;
};

// Whether a sample becomes a node, and the vigilance that holds for its winner and runner-up otherwise.
struct Verdict {
  bool creates = false;
  double vigilance = 0.0;
};

// In PHIDA+ a far sample becomes a node. One that is only below the window vigilance does too, unless more nodes than
// `window.interval` have one sample; n_single() counts these.
template <class CountSingle>
Verdict judge_plus(double misfit, double winner_similarity, const Vigilance& window,
                   CountSingle n_single, bool adjust, FarSamples& samples) {
  const bool far = samples.judge(misfit);
  const double vigilance = std::max(window.threshold, samples.similarity());
  if (adjust) samples.adjust(far, window.interval);
  const bool below = winner_similarity < window.threshold;
  return {far || (below && n_single() <= window.interval), vigilance};
}

}  // namespace phida
