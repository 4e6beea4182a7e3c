// What libraries keep until the program ends, for the leak checker of a sanitizer build.

extern "C" const char* __lsan_default_suppressions();

// fontconfig never frees the patterns that its cache of fonts is asked with.
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig\n"; }
