# A .tex figure compiles with lualatex and looks like the picture; with Latin letters pdflatex works,
# too. Skipped (77) without TeX: the packages texlive-luatex and texlive-pictures.
set -eu
program=$1
top=$(cd "$(dirname "$0")/../.." && pwd)
command -v lualatex >/dev/null && kpsewhich tikz.sty >/dev/null || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
    echo "$*" >&2
    exit 1
}

# drawn NAME TEX: draws NAME-1.png at 150 dpi, from a page as large as the figure
drawn() {
    cat >"page-$1.tex" <<EOF
\\documentclass{article}
\\usepackage{tikz}
\\usepackage[paperwidth=960bp,paperheight=540bp,margin=0bp]{geometry}
\\pagestyle{empty}\\parindent0pt\\topskip0pt
\\begin{document}\\sffamily\\noindent\\input{$1.tex}\\end{document}
EOF
    $2 -interaction=nonstopmode -halt-on-error "page-$1.tex" >log || {
        tail -n 30 log >&2
        fail "$1.tex does not compile with $2"
    }
    ! grep -q '^Missing character' log "page-$1.log" || fail "$1: $(grep Missing "page-$1.log")"
    pdftoppm -r 150 -png "page-$1.pdf" "$1"
}

# Pages of words differ more than those of cells, because the letters are in the document's font.
for step in additive-or-multiplicative/1 empty-rows-in-numbers/1 heads/2 convex-combination/1; do
    "$program" export lesson:$step --out step.tex
    "$program" export lesson:$step --out again.tex
    cmp step.tex again.tex
    "$program" export lesson:$step --out picture.png
    drawn step lualatex
    apart=$(compare -metric MAE step-1.png picture.png null: 2>&1 | sed 's/.*(\(.*\))/\1/') || true
    awk "BEGIN { exit !($apart < 0.04) }" || fail "$step: the .tex and the picture are $apart apart"
done
drawn step pdflatex

# More than 64 × 64 cells are drawn as a picture beside the .tex file.
"$program" export "$top/assets/scenes/transformer-heads.json" --out large.tex
[ -s large-cells.png ] || fail "large-cells.png is not written"
"$program" export "$top/assets/scenes/transformer-heads.json" --out picture.png
drawn large lualatex
apart=$(compare -metric MAE large-1.png picture.png null: 2>&1 | sed 's/.*(\(.*\))/\1/') || true
awk "BEGIN { exit !($apart < 0.04) }" || fail "large.tex and the picture are $apart apart"
