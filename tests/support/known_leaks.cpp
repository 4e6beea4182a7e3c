// Lists what libraries keep until the program ends, for the leak checker of a sanitizer build.

extern "C" const char* __lsan_default_suppressions();

// fontconfig never frees the patterns with which its cache of fonts is searched; cairo 1.16 loses
// 768 bytes for each PDF with tags.
extern "C" const char* __lsan_default_suppressions() {
    return "leak:libfontconfig\nleak:libcairo\n";
}
