// Decisions: what passes chose or refused and why, for people and for tools that explain a compile.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accy/export.hpp"
#include "accy/result.hpp"
#include "choir/operation.hpp"

namespace accy::choir {

/// One choice of a pass. All texts are stable words and numbers, never addresses.
struct ACCY_EXPORT Decision {
  std::string stage;     ///< set by the runner
  std::string pass;      ///< set by the runner
  std::string kind;      ///< one word of the pass's own set: "fusion", "schedule", "buffer"
  bool accepted = true;  ///< false: considered and refused
  std::string subject;   ///< what was decided on: an operation's name, "item 3", a kernel's symbol
  std::string choice;    ///< what was chosen or refused: "workgroup_row, 64 invocations"
  std::string reason;    ///< why, with the value and the limit
  std::vector<SourceLocation> places;  ///< source places concerned
  friend bool operator==(const Decision&, const Decision&) = default;
};

/// A location's places, kept apart from its context.
ACCY_EXPORT std::vector<SourceLocation> places_of(Location location);

/// Places of an operation and of all that its regions hold, each once, in that order.
ACCY_EXPORT std::vector<SourceLocation> places_within(const Operation& operation);

/// "tensor.add %y": an operation and the name of its first result, if it has one.
ACCY_EXPORT std::string subject_of(const Operation& operation);

/// The decisions of a compile, in the order in which they were made. A log that is off keeps
/// nothing; a pass asks `on()` before it spells out a reason that costs time.
class ACCY_EXPORT DecisionLog {
 public:
  explicit DecisionLog(bool on = false) : on_(on) {}
  bool on() const { return on_; }
  void record(Decision decision);
  /// Moves another log's decisions behind the present ones.
  void append(DecisionLog other);
  /// Names stage and pass of every decision from the given one on that has none yet.
  void attribute(std::size_t from, std::string_view stage, std::string_view pass);
  const std::vector<Decision>& list() const { return list_; }

 private:
  bool on_;
  std::vector<Decision> list_;
};

}  // namespace accy::choir
