#include "static_check/lemmas/offered_lemmas.h"

#include "static_check/certify/certify.h"
#include "static_check/lemmas/shipped_lemmas.h"

namespace assay {

OfferedLemmas::OfferedLemmas(const std::vector<std::filesystem::path>& files,
                             const std::optional<std::set<std::string>>& certified)
    : table_(certified ? lemmas_with_certified(files, *certified) : lemmas_with_files(files)) {
  if (certified || files.empty()) return;
  const LemmaTable shipped = builtin_lemmas();
  for (const Lemma& lemma : table_.lemmas())
    if (shipped.find(lemma.name) == nullptr) unknown_.insert(lemma.name);
}

bool OfferedLemmas::allow(const LemmaProof& proof) {
  bool all = true;
  for (const LemmaProof::Step& step : proof.steps) {
    if (step.kind != LemmaProof::Step::Kind::kLemma || !unknown_.contains(step.lemma)) continue;
    unknown_.erase(step.lemma);
    if (is_certified(*table_.find(step.lemma))) continue;
    withdraw(step.lemma);
    all = false;
  }
  return all;
}

std::vector<std::string> OfferedLemmas::notes_of_unused() const {
  std::vector<std::string> notes;
  for (const std::string& name : unknown_)
    notes.push_back(
        "no proof uses the lemma " + name +
        " of the case: whether it holds was not looked at (assay lemmas --certify does)");
  return notes;
}

bool OfferedLemmas::is_certified(const Lemma& lemma) {
  const Certification& found = certify_once(lemma);
  LemmaReport& report = certifications_.emplace_back();
  report.name = lemma.name;
  report.certified = found.certified();
  report.shapes = found.shapes;
  report.draws = found.draws;
  report.axioms.assign(found.axioms.begin(), found.axioms.end());
  report.failures = found.failures;
  return report.certified;
}

void OfferedLemmas::withdraw(const std::string& name) {
  LemmaTable rest;
  for (const Lemma& lemma : table_.lemmas())
    if (lemma.name != name) rest.add(lemma);
  table_ = std::move(rest);
}

LemmaTable lemmas_with_certified(const std::vector<std::filesystem::path>& files,
                                 const std::set<std::string>& certified) {
  LemmaTable table = builtin_lemmas();
  if (certified.empty()) return table;
  const LemmaTable all = lemmas_with_files(files);
  for (const std::string& name : certified)
    if (const Lemma* lemma = all.find(name); lemma != nullptr && table.find(name) == nullptr)
      table.add(*lemma);
  return table;
}

std::set<std::string> certified_lemmas(const StaticReport& report) {
  std::set<std::string> names;
  for (const LemmaReport& lemma : report.lemmas)
    if (lemma.certified) names.insert(lemma.name);
  return names;
}

std::string where_certified(const std::vector<LemmaReport>& lemmas, const std::string& name) {
  const auto join = [](const std::vector<std::string>& texts, const char* separator) {
    std::string text;
    for (const std::string& one : texts) text += (text.empty() ? "" : separator) + one;
    return text;
  };
  for (const LemmaReport& lemma : lemmas) {
    if (lemma.name != name || !lemma.certified) continue;
    const std::string shapes = join(lemma.shapes, "; ");
    return ", certified " + (shapes.empty() ? "for all shapes" : "at " + shapes) +
           (lemma.axioms.empty() ? "" : ", by the axioms " + join(lemma.axioms, ", "));
  }
  return "";
}

}  // namespace assay
