#include "shared_ir/operator_table/operator_table.h"

#include <algorithm>
#include <deque>
#include <fstream>
#include <iterator>
#include <mutex>
#include <unordered_map>

#include <fmt/format.h>

#include "operator_files.h"
#include "shared_ir/lower/declare/declaration.h"
#include "shared_ir/symbolic/integer.h"

namespace assay {

std::string normal_operator_name(std::string_view op) {
  std::string name(op);
  if (size_t colons = name.find("::"); colons != std::string::npos)
    name.erase(colons, 1)[colons] = '.';
  constexpr std::string_view kDefault = ".default";
  if (name.ends_with(kDefault)) name.resize(name.size() - kDefault.size());
  return name;
}

namespace {

// The quoted texts of one line.
std::vector<std::string> quoted(std::string_view line) {
  std::vector<std::string> result;
  for (size_t open = line.find('"'); open != std::string_view::npos; open = line.find('"', open)) {
    size_t close = line.find('"', open + 1);
    if (close == std::string_view::npos) break;
    result.emplace_back(line.substr(open + 1, close - open - 1));
    open = close + 1;
  }
  return result;
}

}  // namespace

struct OperatorTable::Impl {
  struct Entry {
    std::string name;
    std::string_view text;          // its lines
    SourcePlace place;              // of its header
    std::vector<std::string> each;  // operators whose declaration holds of the elements of lists
    std::unique_ptr<OperatorDeclaration> parsed;
  };

  // Finds where each entry starts without parsing it: most of them are never used by a run.
  void index(std::string_view text, const std::string& file) {
    PlainInt line_number = 0;
    size_t header = std::string_view::npos;
    auto close = [&](size_t end) {
      if (header != std::string_view::npos) entries.back().text = text.substr(header, end - header);
    };
    for (size_t at = 0; at < text.size();) {
      size_t end = std::min(text.find('\n', at), text.size());
      std::string_view line = text.substr(at, end - at);
      ++line_number;
      if (line.starts_with("[")) {
        close(at);
        header = at;
        std::vector<std::string> quotes = quoted(line);
        SourcePlace place{file, line_number, 1};
        if (quotes.size() != 1 || !line.starts_with("[\""))
          throw UserError(place,
                          "expected the quoted name of one operator: [\"library.name.overload\"]");
        entries.push_back({quotes[0], {}, place, {}, nullptr});
        add_name(quotes[0], place);
      } else if (line.starts_with("also")) {
        if (entries.empty())
          throw UserError({file, line_number, 1}, "no operator's name comes before this line");
        for (const std::string& name : quoted(line)) add_name(name, {file, line_number, 1});
      }
      if (line.starts_with("each") && !entries.empty()) entries.back().each = quoted(line);
      at = end + 1;
    }
    close(text.size());
  }

  void add_name(const std::string& name, const SourcePlace& place) {
    if (name.find('*') != std::string::npos) {
      patterns.emplace_back(normal_operator_name(name), entries.size() - 1);
      return;
    }
    auto [at, fresh] =
        by_name.emplace(normal_operator_name(name), static_cast<int32_t>(entries.size()) - 1);
    if (!fresh)
      throw UserError(place, fmt::format("operator '{}' is declared twice, first at {}", name,
                                         to_string(entries[at->second].place)));
    names.push_back(name);
  }

  const OperatorDeclaration* parsed(int32_t i) {
    std::lock_guard lock(mutex);
    Entry& entry = entries[i];
    if (!entry.parsed)
      entry.parsed = std::make_unique<OperatorDeclaration>(
          lowering::parse_declaration(entry.name, entry.text, entry.place));
    return entry.parsed.get();
  }

  // What a pattern says of the operator; nullptr where none fits, or nothing of what it names is
  // declared.
  const OperatorDeclaration* of_elements(const std::string& name) {
    std::lock_guard lock(mutex);
    if (const auto known = by_pattern.find(name); known != by_pattern.end())
      return known->second.get();
    for (const auto& [pattern, at] : patterns) {
      const size_t star = pattern.find('*');
      const std::string_view after = std::string_view(pattern).substr(star + 1);
      if (name.size() < pattern.size() || name.compare(0, star, pattern, 0, star) != 0 ||
          !name.ends_with(after))
        continue;
      const std::string word = name.substr(star, name.size() - pattern.size() + 1);
      if (word.find('.') != std::string::npos) continue;
      for (std::string element : entries[at].each) {
        element.replace(element.find('*'), 1, word);
        const auto found = by_name.find(normal_operator_name(element));
        if (found == by_name.end()) continue;
        const Entry& entry = entries[static_cast<size_t>(found->second)];
        auto declaration = std::make_unique<OperatorDeclaration>(
            lowering::parse_declaration(entry.name, entry.text, entry.place));
        declaration->each = true;
        return by_pattern.emplace(name, std::move(declaration)).first->second.get();
      }
    }
    return nullptr;
  }

  std::deque<std::string> texts;  // of user files
  std::vector<Entry> entries;
  std::unordered_map<std::string, int32_t> by_name;  // normal name -> entry
  std::vector<std::string> names;
  std::vector<std::pair<std::string, size_t>> patterns;  // names with one "*" -> entry
  std::unordered_map<std::string, std::unique_ptr<OperatorDeclaration>> by_pattern;
  std::mutex mutex;
};

OperatorTable::OperatorTable() : impl_(std::make_unique<Impl>()) {}
OperatorTable::~OperatorTable() = default;
OperatorTable::OperatorTable(OperatorTable&&) noexcept = default;
OperatorTable& OperatorTable::operator=(OperatorTable&&) noexcept = default;

OperatorTable OperatorTable::builtin() {
  OperatorTable table;
  for (const EmbeddedFile& file : operator_files())
    table.impl_->index(file.text, std::string(file.name));
  return table;
}

OperatorTable OperatorTable::with_files(const std::vector<std::filesystem::path>& files) {
  OperatorTable table = builtin();
  for (const auto& file : files) {
    std::ifstream in(file);
    if (!in) throw UserError({file.string()}, "cannot read the operator declarations");
    table.add_text(std::string(std::istreambuf_iterator<char>(in), {}), file.string());
  }
  return table;
}

void OperatorTable::add_text(std::string_view toml, const std::string& file_name) {
  auto first = static_cast<int32_t>(impl_->entries.size());
  impl_->texts.emplace_back(toml);
  impl_->index(impl_->texts.back(), file_name);
  for (int32_t i = first; i < static_cast<int32_t>(impl_->entries.size()); ++i)
    if (impl_->entries[static_cast<size_t>(i)].each.empty()) impl_->parsed(i);
}

const OperatorDeclaration* OperatorTable::find(std::string_view op) const {
  const std::string name = normal_operator_name(op);
  const auto found = impl_->by_name.find(name);
  return found == impl_->by_name.end() ? impl_->of_elements(name) : impl_->parsed(found->second);
}

std::vector<std::string> OperatorTable::names() const {
  std::vector<std::string> result = impl_->names;
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace assay
