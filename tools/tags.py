"""Print the options that tag a wheel for this Python and this system, for `python -m wheel tags`."""

import sysconfig

from packaging.tags import sys_tags

tag = next(sys_tags())
platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
print(f"--python-tag={tag.interpreter} --abi-tag={tag.abi} --platform-tag={platform}")
