/**
 * How a report looks on paper: black on white, sums ruled, headings repeated on each page. The printer says how large
 * the pages `upright` and `across` are.
 */
export const PRINT_STYLE = `
* { box-sizing: border-box; }
body {
  margin: 0; color: #111; background: #fff;
  font: 9pt/1.35 Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif;
}
section { page: upright; }
section.across { page: across; }
.wide { font-size: 7.5pt; }
.very-wide { font-size: 6.2pt; }
section.report + section.report, section.cover + section.report { break-before: page; }
h1, h2, p { margin: 0; }
.client { font-size: 15pt; font-weight: 600; line-height: 1.2; }
h2 { margin-top: 3pt; font-size: 12pt; font-weight: 600; }
.days { font-size: 10pt; }
.stamp { margin-top: 3pt; font-size: 8pt; color: #555; }
.wrong { margin-top: 6pt; padding: 5pt 7pt; border: 0.75pt solid #8a5a00; border-left-width: 3pt; font-size: 8.5pt; }
.wrong p:first-child { font-weight: 600; }
.unchecked { margin-top: 8pt; font-size: 7.5pt; color: #555; }
table { width: 100%; margin-top: 10pt; border-collapse: collapse; font-variant-numeric: tabular-nums lining-nums; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
th, td { padding: 1.6pt 0 1.6pt 10pt; vertical-align: top; text-align: right; font-weight: 400; }
thead th { padding-bottom: 3pt; border-bottom: 0.75pt solid #111; vertical-align: bottom; font-weight: 600; }
tbody th, thead th:first-child { padding-left: 0; text-align: left; }
td.text, thead th.text { text-align: left; }
td { white-space: nowrap; }
td.text { white-space: normal; overflow-wrap: anywhere; }
td.text.short { white-space: nowrap; }
tbody th { overflow-wrap: anywhere; }
.section > th, .subtotal > *, .total > * { font-weight: 600; }
.section > * { break-after: avoid; }
.ruled { position: relative; }
.sum { display: inline-block; padding-left: 8pt; border-top: 0.5pt solid #111; }
.total .sum { border-bottom: 2.25pt double #111; }
.bad { font-weight: 600; text-decoration: underline; text-decoration-style: wavy; text-underline-offset: 2pt; }
${Array.from({ length: 12 }, (_, level) => `.l${level + 1} > th { padding-left: ${(level + 1) * 11}pt; }`).join('\n')}
section.cover { display: flex; flex-direction: column; min-height: 80vh; padding-top: 22vh; }
.cover .client { font-size: 26pt; }
.cover h2 { font-size: 16pt; font-weight: 400; }
.cover table { margin-top: 28pt; font-size: 10pt; }
.cover td, .cover tbody th { padding-block: 4pt; border-bottom: 0.5pt solid #bbb; }
.cover td { text-align: left; white-space: normal; }
`
