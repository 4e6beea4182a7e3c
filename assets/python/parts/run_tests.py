fails = False
for test in (TESTS):
    name, reason = test if isinstance(test, tuple) else (test.__name__, None)
    found = None if reason else test()
    fails = fails or found is not None
    print(f"{name}: " + (f"n/a: {reason}" if reason else f"fail: {found}" if found else "pass"))
sys.exit(1 if fails else 0)
