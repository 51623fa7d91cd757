#include "choir/decision.hpp"

#include <algorithm>

namespace accy::choir {

std::vector<SourceLocation> places_of(Location location) {
  std::vector<SourceLocation> places;
  for (const FilePosition& position : location.positions())
    places.push_back({std::string(position.file), position.line, position.column});
  return places;
}

std::vector<SourceLocation> places_within(const Operation& operation) {
  std::vector<SourceLocation> places;
  operation.walk([&](const Operation& inner) {
    for (SourceLocation& place : places_of(inner.location()))
      if (std::ranges::find(places, place) == places.end()) places.push_back(std::move(place));
  });
  return places;
}

std::string subject_of(const Operation& operation) {
  std::string text(operation.name());
  if (operation.result_count() > 0 && !operation.result()->name().empty())
    text += " %" + std::string(operation.result()->name());
  return text;
}

void DecisionLog::record(Decision decision) {
  if (on_) list_.push_back(std::move(decision));
}

void DecisionLog::append(DecisionLog other) {
  if (!on_) return;
  for (Decision& decision : other.list_) list_.push_back(std::move(decision));
}

void DecisionLog::attribute(std::size_t from, std::string_view stage, std::string_view pass) {
  for (; from < list_.size(); ++from) {
    if (list_[from].stage.empty()) list_[from].stage = stage;
    if (list_[from].pass.empty()) list_[from].pass = pass;
  }
}

}  // namespace accy::choir
