# A wrong command line gives one line that says why, status 2 and no files.
set -eu
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# refuses STATUS LINE ARGUMENT...: checks the status and the line
refuses() {
    wanted=$1 line=$2
    shift 2
    status=0
    "$program" "$@" >out 2>err </dev/null || status=$?
    printf 'maskscope: %s\n' "$line" >expected
    if [ "$status" -ne "$wanted" ] || ! cmp -s err expected || [ -s out ]; then
        echo "maskscope $*: status $status, expected $wanted, and on standard error:" >&2
        cat err expected >&2
        exit 1
    fi
    rm out err expected
}

refuses 2 'compute: SCENE is missing' compute
refuses 2 'compute: SCENE is missing' compute --out d
refuses 2 'compute: --out is missing' compute s.json
refuses 2 'compute: --out needs a value' compute s.json --out
refuses 2 'compute: --out needs a value' compute s.json --out=
refuses 2 'compute: --out needs a value' compute s.json --out --threads 2
refuses 2 'compute: --out may be given only once' compute --out d s.json --out=e
refuses 2 'compute: unexpected argument "t.json"' compute s.json t.json --out d
refuses 2 'compute: unknown option --dpi' compute s.json --out d --dpi 100
refuses 2 'compute: --out needs a value' compute --out '' s.json
refuses 2 'compute: unknown option -o' compute s.json -o d
for threads in 0 257 -1 2.5 2x 99999999999999999999; do
    refuses 2 "compute: --threads: expected an integer from 1 to 256, got \"$threads\"" \
        compute s.json --out d --threads "$threads"
done
refuses 2 'compute: --backend: expected cpu, gpu or auto, got "CPU"' \
    compute s.json --out d --backend CPU

refuses 2 'export: SCENE is missing' export --out a.png
refuses 2 'export: --out is missing' export s.json
formats='.png, .svg, .pdf, .tex, .csv or .html (lessons), or a folder that ends with / (lessons)'
for out in out.gif out; do
    refuses 2 "export: --out: expected a file that ends with $formats, got \"$out\"" \
        export s.json --out $out
    refuses 2 "export: --out: expected a file that ends with $formats, got \"$out\"" \
        export lesson:heads --out $out
done
refuses 2 'export: --stage: a .csv file has no column output' export s.json --out a.csv --stage output
for dpi in 9 1201 abc 1e2; do
    refuses 2 "export: --dpi: expected an integer from 10 to 1200, got \"$dpi\"" \
        export s.json --out a.png --dpi "$dpi"
done
refuses 2 'export: --annot and --no-annot cannot be used together' export s.json --out a.png --annot --no-annot
refuses 2 'export: --annot may be given only once' export s.json --out a.png --annot --annot
refuses 2 'export: --annot takes no value' export s.json --out a.png --annot=yes
refuses 2 'export: --variant and --lane cannot be used together' export s.json --out a.png --lane A --variant 0
letters='an index, counted from 0, or letters from A to Z, separated by commas'
for variants in A, A,A a AB ,A -1 0,1 A,0 99999999999999999999; do
    for option in --lane --variant; do
        refuses 2 "export: $option: expected $letters, got \"$variants\"" \
            export s.json --out a.png $option "$variants"
    done
done
for variant in A,C -1 a; do
    refuses 2 "pytorch: --lane: expected an index, counted from 0, or a letter from A to Z, got \"$variant\"" \
        pytorch s.json --lane "$variant"
done
refuses 2 'pytorch: --variant and --lane cannot be used together' pytorch s.json --variant A --lane A
refuses 2 'export: --width: expected millimetres from 10 to 2000, got "9"' \
    export s.json --out a.png --width 9
refuses 2 'export: --height: expected millimetres from 10 to 2000, got "nan"' \
    export s.json --out a.png --height nan
for aspect in 16 16: :9 16:0 0:9 inf:1 1:11 -16:-9 16:9:1; do
    refuses 2 "export: --aspect: expected width:height such as 16:9, at most 10:1 or 1:10, or free, got \"$aspect\"" \
        export s.json --out a.png --aspect="$aspect"
done
refuses 2 'export: --aspect and --height cannot be used together' \
    export s.json --out a.png --width 160 --height 90 --aspect 16:9
refuses 2 'export: --aspect and --height cannot be used together' export s.json --out a.png --height 90 --aspect free
refuses 2 'export: --cmap: expected viridis, cividis, magma or grey, got "jet"' \
    export s.json --out a.png --cmap jet
refuses 2 'export: --vmin: expected a number, got "inf"' export s.json --out a.png --vmin inf
refuses 2 'export: --vmax must be greater than --vmin' export s.json --out a.png --vmin 1 --vmax 1
refuses 2 'export: --transparent does not apply to .csv files' export s.json --out a.csv --transparent
refuses 2 'export: --theme: expected light, dark or print, got "high-contrast"' \
    export s.json --out a.png --theme high-contrast
refuses 2 'export: --head: expected an index, counted from 0, or all, got "-1"' \
    export s.json --out a.png --head -1
for part in 5 5: :5 5:5 6:5 -1:5 0:1.5 a:b 0:99999999999999999999; do
    refuses 2 "export: --rows: expected FROM:TO, counted from 0, such as 0:512, got \"$part\"" \
        export s.json --out a.png --rows="$part"
done
refuses 2 'export: --columns: expected FROM:TO, counted from 0, such as 0:512, got "3"' \
    export s.json --out a.png --columns 3
refuses 2 'export: --stage: expected allowed, scores, scaled, logits, softmax, weights, output, sensitivity or depends, got "mask"' \
    export s.json --out a.png --stage mask

refuses 2 'export: --bare takes no value' export s.json --out a.png --bare=yes
refuses 2 'extract: FIGURE is missing' extract --out s.json
refuses 2 'extract: --out is missing' extract a.png
refuses 2 'extract: --out: expected a file that ends with .json, got "a.png"' extract a.png --out a.png
refuses 2 'extract: --force takes no value' extract a.png --out s.json --force=yes
refuses 2 'extract: unknown option --alt' extract a.png --out s.json --alt

refuses 2 'pytorch: SCENE is missing' pytorch
refuses 2 'describe: SCENE is missing' describe
refuses 2 'export: SCENE is missing' export '' --out figure.png
refuses 2 'unknown command "explain"' explain s.json
refuses 2 'unexpected argument "s.json"' --theme dark t.json s.json
refuses 2 'unexpected argument "t.json"' s.json t.json
refuses 2 '--version cannot be combined with other arguments' --version s.json
refuses 2 '--help cannot be combined with other arguments' --help=compute
refuses 2 'unknown option --foo' --foo
refuses 2 '--ui-scale: expected a number from 1 to 3, got "3.5"' s.json --ui-scale 3.5
refuses 2 '--ui-scale: expected a number from 1 to 3, got "nan"' --ui-scale nan
refuses 2 '--theme: expected light, dark or high-contrast, got "print"' s.json --theme=print
refuses 2 'check: LESSON is missing' check
refuses 2 'lessons: unexpected argument "x"' lessons x
refuses 2 'unknown option --back\u000aslash' "--back
slash"
[ -z "$(ls)" ]

"$program" --version >version
printf 'maskscope 0.1.0\n' | cmp - version
"$program" --help >help
"$program" export --help >of_export
grep -q '^maskscope export ' of_export
grep -q '^    --dpi  *dots per inch' of_export
for word in compute export extract --alt --bare .tex pytorch describe lessons check --out --variant --stage --sequence --head --dpi --theme \
    --backend --threads --ui-scale --version; do
    grep -q -e "$word" help
done
# It is an error, too, if the output cannot be printed.
if [ -w /dev/full ]; then
    status=0
    "$program" --version >/dev/full 2>err || status=$?
    [ "$status" -eq 1 ]
    grep -qx 'maskscope: standard output cannot be written' err
fi
