#include <fmt/format.h>

#include "shared_ir/report/markup.h"
#include "shared_ir/report/report.h"

namespace assay {
namespace {

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Assay report</title>
<style>
body { font-family: sans-serif; margin: 2em; max-width: 90em; }
table { border-collapse: collapse; }
td, th { border: 1px solid #bbb; padding: 0.3em 0.7em; text-align: left; }
pre { background: #f4f4f4; padding: 1em; overflow-x: auto; }
.pass { background: #d8f0d8; }
.fail { background: #f6d5d5; }
</style>
</head>
<body>
<h1>Assay report</h1>
)";

std::string_view css_class(const CaseReport& report) { return report.exit == 0 ? "pass" : "fail"; }

}  // namespace

std::string to_html(const Report& report) {
  std::string page(kHead);
  page += "<table>\n<tr><th>case</th><th>verdict</th><th>proof</th><th>run</th></tr>\n";
  for (size_t i = 0; i < report.cases.size(); ++i) {
    const CaseReport& one = report.cases[i];
    page += fmt::format(
        "<tr class=\"{}\"><td><a "
        "href=\"#case-{}\">{}</a></td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        css_class(one), i, escape_markup(one.name), to_string(one.verdict),
        one.statics ? to_string(one.statics->verdict) : "-",
        one.dynamic ? escape_markup(one.dynamic->triage) : "-");
  }
  page += "</table>\n";
  for (size_t i = 0; i < report.cases.size(); ++i) {
    page +=
        fmt::format("<h2 id=\"case-{}\">{}</h2>\n<pre>{}</pre>\n", i,
                    escape_markup(report.cases[i].name), escape_markup(to_text(report.cases[i])));
  }
  return page + "</body>\n</html>\n";
}

}  // namespace assay
