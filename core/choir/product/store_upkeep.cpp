// Counting, checking and cleaning a store's folder while others use it.
#include <algorithm>
#include <set>

#include "choir/disk_store.hpp"
#include "choir/product/store_files.hpp"
#include "choir/product/store_trace.hpp"

namespace accy::choir {

namespace fs = std::filesystem;
using store::Entry;
using store::EntryKind;

namespace {

/// A writer that began this long ago will not finish.
constexpr std::chrono::minutes leftover_age{10};

std::optional<Digest> digest_in_name(const fs::path& path) {
  return store::parse_digest(path.filename().string());
}

Status check_object(const fs::path& folder, const Entry& entry) {
  const std::optional<Digest> name = digest_in_name(entry.path);
  if (!name || entry.path != store::object_path(*name))
    return fail(ErrorCode::invalid_input, "is no name of an object");
  ACCY_TRY_ASSIGN(const std::string text,
                  store::read_text(folder / entry.path, store::object_bytes_maximum));
  if (digest_of(std::string_view(text)) != *name)
    return fail(ErrorCode::invalid_input, "object is not what was written");
  return {};
}

Result<store::Trace> check_trace(const fs::path& folder, const Entry& entry) {
  ACCY_TRY_ASSIGN(const std::string text,
                  store::read_text(folder / entry.path, store::trace_bytes_maximum));
  ACCY_TRY_ASSIGN(store::Trace trace, store::parse_trace(text, entry.path.string()));
  const Digest asked = store::trace_request_digest(trace.request, trace.identity);
  if (entry.path != store::trace_path(asked, product_key(trace.request, trace.facts).value))
    return fail(ErrorCode::invalid_input, "trace stands under another request's name");
  return trace;
}

StoreUsage usage_of(const std::vector<Entry>& entries) {
  StoreUsage usage;
  for (const Entry& entry : entries) {
    ++(entry.kind == EntryKind::object  ? usage.objects
       : entry.kind == EntryKind::trace ? usage.traces
                                        : usage.leftovers);
    usage.bytes += entry.bytes;
  }
  return usage;
}

/// Decides about every entry of one listing.
class Cleaner {
 public:
  Cleaner(const fs::path& folder, std::vector<Entry> entries)
      : folder_(folder), entries_(std::move(entries)), left_(usage_of(entries_).bytes) {}

  StoreCleanup run(std::int64_t bytes_maximum) {
    remove_damaged();
    remove_unnamed();
    remove_oldest(bytes_maximum);
    std::vector<Entry> kept;
    for (const Entry& entry : entries_)
      if (!removed_.contains(entry.path)) kept.push_back(entry);
    cleanup_.left = usage_of(kept);
    return cleanup_;
  }

 private:
  void remove(const Entry& entry) {
    std::error_code error;
    fs::remove(folder_ / entry.path, error);
    if (error) return;
    removed_.insert(entry.path);
    ++cleanup_.removed;
    cleanup_.removed_bytes += entry.bytes;
    left_ -= entry.bytes;
  }

  void remove_damaged() {
    for (const Entry& entry : entries_) {
      if (entry.kind == EntryKind::object) {
        if (check_object(folder_, entry))
          objects_.insert(entry.path);
        else
          remove(entry);
      } else if (entry.kind == EntryKind::trace) {
        if (const auto trace = check_trace(folder_, entry))
          object_of_.emplace(entry.path, store::object_path(trace->object));
        else
          remove(entry);
      } else if (fs::file_time_type::clock::now() - entry.used > leftover_age) {
        remove(entry);
      }
    }
  }

  /// Traces without an object, and objects that no trace names: their writer has not come to the
  /// trace yet, or never will.
  void remove_unnamed() {
    std::set<fs::path> named;
    for (const Entry& entry : entries_) {
      const auto found = object_of_.find(entry.path);
      if (found == object_of_.end()) continue;
      if (objects_.contains(found->second))
        named.insert(found->second);
      else
        remove(entry);
    }
    for (const Entry& entry : entries_)
      if (objects_.contains(entry.path) && !named.contains(entry.path) &&
          fs::file_time_type::clock::now() - entry.used > leftover_age)
        remove(entry);
  }

  /// An object with its traces, by the time of its last use.
  void remove_oldest(std::int64_t bytes_maximum) {
    std::vector<const Entry*> objects;
    std::multimap<fs::path, const Entry*> traces;
    for (const Entry& entry : entries_) {
      if (removed_.contains(entry.path)) continue;
      if (entry.kind == EntryKind::object) objects.push_back(&entry);
      if (entry.kind == EntryKind::trace) traces.emplace(object_of_.at(entry.path), &entry);
    }
    std::ranges::stable_sort(objects, {}, &Entry::used);
    for (const Entry* object : objects) {
      if (left_ <= bytes_maximum) return;
      const auto [first, last] = traces.equal_range(object->path);
      for (auto trace = first; trace != last; ++trace) remove(*trace->second);
      remove(*object);
    }
  }

  const fs::path& folder_;
  std::vector<Entry> entries_;
  std::int64_t left_;
  std::set<fs::path> objects_;              ///< sound ones
  std::map<fs::path, fs::path> object_of_;  ///< of each sound trace
  std::set<fs::path> removed_;
  StoreCleanup cleanup_;
};

}  // namespace

Result<StoreUsage> store_usage(const fs::path& folder) {
  return store::list_entries(folder).map(usage_of);
}

Result<std::vector<StoreFault>> verify_store(const fs::path& folder) {
  ACCY_TRY_ASSIGN(const std::vector<Entry> entries, store::list_entries(folder));
  std::vector<StoreFault> faults;
  std::error_code ignored;
  for (const Entry& entry : entries) {
    Status status;
    if (entry.kind == EntryKind::object) status = check_object(folder, entry);
    if (entry.kind == EntryKind::trace) {
      const auto trace = check_trace(folder, entry);
      if (!trace)
        status = fail(trace.error());
      else if (!fs::exists(folder / store::object_path(trace->object), ignored))
        status = fail(ErrorCode::invalid_input, "trace names an object that is not there");
    }
    if (!status) faults.push_back({entry.path, status.error().message});
  }
  return faults;
}

Result<StoreCleanup> collect_garbage(const fs::path& folder, std::int64_t bytes_maximum) {
  ACCY_TRY_ASSIGN(std::vector<Entry> entries, store::list_entries(folder));
  return Cleaner(folder, std::move(entries)).run(bytes_maximum);
}

}  // namespace accy::choir
