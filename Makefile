# Installs into .venv and runs from there, with the exact versions of constraints.txt.
PYTHON ?= python3
JOBS ?= 2
BENCH_ARGS ?=
LAB_ARGS ?=
MATRIX_ARGS ?=
PUBLISH_ARGS ?=
RUN = .venv/bin/python -m
INSTALL = $(RUN) pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: help lab handouts test bench matrix notebooks clean

# What is installed knows this folder by its full path: after a move it is made anew.
ifneq "$(shell cat .venv/made.stamp 2>/dev/null)" "$(CURDIR)"
.PHONY: .venv/made.stamp
endif

help:
	@echo 'make lab         install into .venv and open the course / 安装并打开课程'
	@echo '                 LAB_ARGS="--lang zh --port 9000"  options / 选项'
	@echo '                 PYTHON=/path/to/python3.12        another Python / 换一个Python'
	@echo 'make handouts    PDFs to print: handouts, booklet, summary, both languages / 可打印的PDF：讲义、合订本、一页总结，中英文都有'
	@echo '                 PUBLISH_ARGS="--lang zh --paper us-letter"  options / 选项'
	@echo 'make test        run every check / 运行全部检查'
	@echo 'make bench       measure what everything costs, write the table into the READMEs / 测量各项开销，把表格写进两份README'
	@echo 'make matrix      run unit tests and notebooks on the oldest and newest versions / 在最旧和最新的版本上运行测试和笔记本'
	@echo 'make notebooks   run the notebooks and store their outputs / 运行笔记本并保存输出'
	@echo 'make clean       remove what was installed and built; your course stays / 删除安装和构建的内容，保留你的课程'

lab: .venv/lab.stamp
	@$(RUN) zerostride lab --dir course $(LAB_ARGS)

handouts: .venv/publish.stamp
	@$(RUN) zerostride publish --edition handout --edition booklet --edition summary --out handouts $(PUBLISH_ARGS)

test: .venv/test.stamp
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	$(RUN) pytest -q -n $(JOBS) --dist loadfile
	PYTHONPATH="$(CURDIR)/tests/strict" $(RUN) pytest -q --nbval --nbval-current-env --nbval-cell-timeout=120 \
		--nbval-sanitize-with tests/nbval.cfg -n $(JOBS) --dist loadfile notebooks

# BENCH_ARGS="--only publish" measures one thing afresh.
bench: .venv/test.stamp .venv/bench.stamp
	@.venv/bin/python tests/bench/run_all.py $(BENCH_ARGS)

# MATRIX_ARGS="3.11-oldest" runs one combination; tests/matrix.py lists them.
matrix: .venv/test.stamp
	@.venv/bin/python tests/matrix.py $(MATRIX_ARGS)

# Stored beside the outputs: no times, no widget state, no version of Python.
notebooks: .venv/test.stamp
	$(RUN) nbconvert --to notebook --execute --inplace --ExecutePreprocessor.record_timing=False \
		--ExecutePreprocessor.store_widget_state=False --ClearMetadataPreprocessor.enabled=True \
		--ClearMetadataPreprocessor.clear_cell_metadata=False \
		--ClearMetadataPreprocessor.preserve_nb_metadata_mask="{('language_info', 'name'), 'kernelspec'}" \
		notebooks/*/*.ipynb
	.venv/bin/python tests/tour_pictures.py

clean:
	rm -rf .venv .matrix build dist handouts .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests -name __pycache__ -prune -exec rm -rf {} +

.venv/lab.stamp: pyproject.toml constraints.txt .venv/made.stamp
	@echo 'Installing the course into .venv: two minutes or so / 正在把课程安装到.venv，大约两分钟'
	@$(INSTALL) -e '.[lab,zh]'
	@touch $@

.venv/publish.stamp: pyproject.toml constraints.txt .venv/made.stamp
	@echo 'Installing what handouts need into .venv: half a minute or so / 正在把生成讲义所需的包安装到.venv，大约半分钟'
	@$(INSTALL) -e '.[publish]'
	@touch $@

.venv/test.stamp: pyproject.toml constraints.txt .venv/made.stamp
	@echo 'Installing the course and its tests into .venv: two minutes or so'
	@$(INSTALL) -e '.[lab,test]'
	@touch .venv/lab.stamp .venv/publish.stamp $@

# Other inspectors of arrays, to compare with: in a folder of their own.
.venv/bench.stamp: pyproject.toml constraints.txt .venv/made.stamp
	@$(INSTALL) --no-deps --upgrade --target .venv/peers fastcore==2.2.41 graphviz==0.21 lovely-numpy==0.2.24 \
		lovely-tensors==0.1.22 memory-graph==0.3.91 rainbow-tensor==1.8.2 treescope==0.1.10
	@touch $@

.venv/made.stamp:
	@command -v "$(PYTHON)" >/dev/null 2>&1 || { echo 'No $(PYTHON) here: install Python 3.11 or newer, or name it: make lab PYTHON=/path/to/python3 / 找不到$(PYTHON)：请安装Python 3.11或更新的版本'; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo '$(PYTHON) is older than 3.11: install Python 3.11 or newer, or name it: make lab PYTHON=/path/to/python3 / $(PYTHON)太旧：请安装Python 3.11或更新的版本'; exit 1; }
	@"$(PYTHON)" -c 'import venv, ensurepip' 2>/dev/null || { echo '$(PYTHON) has no venv: install it (Debian, Ubuntu: apt-get install python3-venv) / $(PYTHON)缺少venv：请安装python3-venv'; exit 1; }
	@"$(PYTHON)" -m venv --clear .venv
	@pwd -P > $@
