#!/bin/sh
# Measures how far features are woven through the code: how many files of core, app and shaders,
# outside its own, name a feature outside comments. A feature that is registered in one place is named
# in three. The numbers below are limits: lower them when a tie is removed.
# ties.sh [FEATURE]: a line for each feature, or each file that names FEATURE. Status 1 above a limit.
set -eu
cd "$(dirname "$0")/.."
code=$(mktemp -d)
trap 'rm -rf "$code"' EXIT
for file in $(find core app shaders -name '*.cpp' -o -name '*.h' -o -name '*.comp' -o \
    -name '*.glsl' -o -name '*.frag' -o -name '*.vert'); do
    mkdir -p "$code/${file%/*}"
    sed 's,//.*,,' "$file" >"$code/$file"
done

# limit, feature, its own files, the words that name it
bad=0 sum=0
while read -r limit feature own words; do
    [ "${1:-$feature}" = "$feature" ] || continue
    named=$(cd "$code" && grep -rlE "$words" . | grep -vE "$own" | sort) || true
    count=$(printf '%s' "$named" | grep -c .) || true
    printf '%-16s named in %2d other files (at most %d)\n' "$feature" "$count" "$limit"
    [ $# = 0 ] || echo "$named"
    sum=$((sum + count))
    [ "$count" -le "$limit" ] || bad=1
done <<'EOF'
15 translator core/model/|model_file|translat|pytorch/model|sidebar_model|panels/sentence \btranslat|Translator|ModelRun|ModelInputs|\battended_scene|core/model/|\bmodel_of\b|\bis_model\b|InputKind::model|[Tt]eacher
4 output-plane plane [Pp]lane(View|Plot|Data|_view|_plot|_words)?\b|ViewKind::plane
10 generation generation|decode|decoding [Gg]eneration|[Dd]ecode\b|ViewKind::generation
10 root-d root_d root_d|RootD
1 value-table value_table value_table|ValueTable|ViewKind::table
2 translator-view translator TranslatorView|translator_view|ViewKind::translator
14 influence depends StageKind::depends|\bdepends\b|Depends
7 softcap core/settings/ [Ss]oftcap
14 long-contexts core/large/|survey|computed_rows core/large/|[Ss]urvey|LargeBackend|ComputedRows|computed_rows
6 gpu core/gpu/|core/gl/|window_gpu|shaders/ core/gpu/|GpuBackend|GpuOffer|offer_gpu|use_gpu
10 dumps core/dump/|tensor_sheet|token_text core/dump/|DumpPlan|tensor_sheet|TensorSheet
14 presenting present|help_pages [Pp]resenting
9 asking-first cover|answer \b[Cc]overs?\b|is_covered|covered|CoveredBy
10 recovery keeper|recover [Kk]eeper|[Rr]ecover
12 earlier-layers earlier|attended [Ee]arlier
17 difference difference [Dd]ifference(Rows|Variant|_rows|_variant|View)?\b
EOF
[ $# -gt 0 ] || echo "ties in all: $sum"
exit $bad
