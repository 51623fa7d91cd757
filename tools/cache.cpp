#include "tools/cache.hpp"

#include <fmt/core.h>

#include "choir/disk_store.hpp"
#include "tools/json_output.hpp"

namespace accy::tools {
namespace {

using nlohmann::json;

/// The "accy.cache/1" document, as yet with the usage alone.
json usage_document(const CacheOptions& options, const choir::StoreUsage& usage) {
  json document = json_document("cache");
  document["folder"] = options.folder.string();
  document["traces"] = usage.traces;
  document["objects"] = usage.objects;
  document["leftovers"] = usage.leftovers;
  document["bytes"] = usage.bytes;
  return document;
}

std::string usage_text(const choir::StoreUsage& usage) {
  return fmt::format("{} products, {} texts, {} unfinished files, {} bytes", usage.traces,
                     usage.objects, usage.leftovers, usage.bytes);
}

/// `verb` says what was done with the entries; empty: they were counted.
void print_usage(const CacheOptions& options, std::string_view verb, const choir::StoreUsage& usage,
                 std::ostream& output) {
  if (options.json)
    print_json(output, usage_document(options, usage));
  else
    output << fmt::format("{}{}\n", verb, usage_text(usage));
}

Result<ExitCode> verify(const CacheOptions& options, std::ostream& output) {
  ACCY_TRY_ASSIGN(const std::vector<choir::StoreFault> faults, choir::verify_store(options.folder));
  ACCY_TRY_ASSIGN(const choir::StoreUsage usage, choir::store_usage(options.folder));
  if (options.json) {
    json document = usage_document(options, usage);
    document["damaged"] = json::array();
    for (const choir::StoreFault& fault : faults)
      document["damaged"].push_back({{"file", fault.path.string()}, {"what", fault.what}});
    print_json(output, document);
  } else {
    for (const choir::StoreFault& fault : faults)
      output << fmt::format("{}: {}\n", fault.path.string(), fault.what);
    output << fmt::format("{}; {} damaged\n", usage_text(usage), faults.size());
  }
  return faults.empty() ? ExitCode::done : ExitCode::check_failed;
}

Result<ExitCode> collect(const CacheOptions& options, std::ostream& output) {
  ACCY_TRY_ASSIGN(const choir::StoreCleanup cleanup,
                  choir::collect_garbage(options.folder, options.bytes_maximum));
  if (options.json) {
    json document = usage_document(options, cleanup.left);
    document["removed"] = cleanup.removed;
    document["removed_bytes"] = cleanup.removed_bytes;
    print_json(output, document);
  } else {
    output << fmt::format("removed {} files of {} bytes; left {}\n", cleanup.removed,
                          cleanup.removed_bytes, usage_text(cleanup.left));
  }
  return ExitCode::done;
}

}  // namespace

Result<ExitCode> run_cache(const CacheOptions& options, std::ostream& output) {
  switch (options.action) {
    case CacheAction::verify: return verify(options, output);
    case CacheAction::collect_garbage: return collect(options, output);
    case CacheAction::stat: {
      ACCY_TRY_ASSIGN(const auto usage, choir::store_usage(options.folder));
      print_usage(options, "", usage, output);
      break;
    }
    case CacheAction::export_to: {
      ACCY_TRY_ASSIGN(const auto usage, choir::export_store(options.folder, options.file));
      print_usage(options, "exported ", usage, output);
      break;
    }
    case CacheAction::import_from: {
      ACCY_TRY_ASSIGN(const auto usage, choir::import_store(options.folder, options.file));
      print_usage(options, "imported ", usage, output);
      break;
    }
  }
  return ExitCode::done;
}

}  // namespace accy::tools
