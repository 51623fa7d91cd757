#include "choir/product/store_trace.hpp"

#include "choir/product/store_files.hpp"
#include "support/json.hpp"

namespace accy::choir::store {

namespace {

using nlohmann::json;

constexpr const char* trace_format = "accy-trace/1";
constexpr std::size_t checksum_bytes = 33;  // digits and a line break

Failure malformed(std::string_view file, std::string_view what) {
  return fail(ErrorCode::invalid_input, std::string(file) + ": " + std::string(what));
}

/// Fields of a document whose digest holds: what is amiss comes from another version's writer.
class TraceReader {
 public:
  explicit TraceReader(const json& document) : document_(document) {}

  std::string text(const char* key) {
    const auto found = document_.find(key);
    if (found != document_.end() && found->is_string()) return found->get<std::string>();
    good_ = false;
    return {};
  }
  Digest digest(const char* key) {
    const std::optional<Digest> parsed = parse_digest(text(key));
    if (!parsed) good_ = false;
    return parsed.value_or(Digest{});
  }
  std::uint32_t number(const char* key) {
    const auto found = document_.find(key);
    if (found != document_.end() && found->is_number_unsigned() &&
        found->get<std::uint64_t>() <= std::numeric_limits<std::uint32_t>::max())
      return found->get<std::uint32_t>();
    good_ = false;
    return 0;
  }
  std::vector<Fact> facts(const char* key) {
    std::vector<Fact> facts;
    const auto found = document_.find(key);
    good_ = good_ && found != document_.end() && found->is_object();
    if (!good_) return facts;
    for (const auto& [name, value] : found->items()) {
      if (value.is_string())
        facts.push_back({name, value.get<std::string>()});
      else
        good_ = false;
    }
    return facts;
  }
  bool good() const { return good_; }

 private:
  const json& document_;
  bool good_ = true;
};

}  // namespace

std::string format_trace(const Trace& trace) {
  json facts = json::object();
  for (const Fact& fact : trace.facts) facts[fact.name] = fact.value;
  const json document{{"format", trace_format},
                      {"stage", trace.request.stage},
                      {"schema_version", trace.request.schema_version},
                      {"recipe", trace.request.recipe},
                      {"predecessor", trace.request.predecessor.to_string()},
                      {"identity", trace.identity},
                      {"facts", facts},
                      {"content", trace.content.to_string()},
                      {"object", trace.object.to_string()}};
  std::string text = format_json(document) + "\n";
  text += digest_of(std::string_view(text)).to_string() + "\n";
  return text;
}

Result<Trace> parse_trace(std::string_view text, std::string_view file) {
  if (text.size() < checksum_bytes) return malformed(file, "trace is cut off");
  const std::string_view body = text.substr(0, text.size() - checksum_bytes);
  if (text.substr(body.size()) != digest_of(body).to_string() + "\n")
    return malformed(file, "trace is not what was written (its digest differs)");
  ACCY_TRY_ASSIGN(const json document, parse_json(body, file));
  if (!document.is_object() || document.value("format", json()) != trace_format)
    return malformed(file, "trace is of another version, not " + std::string(trace_format));
  TraceReader reader(document);
  Trace trace{.request = {.stage = reader.text("stage"),
                          .schema_version = reader.number("schema_version"),
                          .recipe = reader.text("recipe"),
                          .predecessor = reader.digest("predecessor")},
              .identity = reader.text("identity"),
              .facts = reader.facts("facts"),
              .content = reader.digest("content"),
              .object = reader.digest("object")};
  if (!reader.good()) return malformed(file, "trace lacks a field");
  return trace;
}

Digest trace_request_digest(const ProductRequest& request, std::string_view identity) {
  return Digester().add(identity).add(request_digest(request)).finish();
}

}  // namespace accy::choir::store
