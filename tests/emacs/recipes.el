;;; recipes.el --- what the recipes need inside Emacs  -*- lexical-binding: t -*-
;; Copyright (C) 2026 The emlat developers
;; SPDX-License-Identifier: GPL-3.0-or-later
;;; Commentary:
;; Loaded by sessions.py into the Emacs that it records.  The two sides meet in files of the
;; folder that EMLAT_DIR names: a mark says that a place was reached, so that no recipe depends on
;; how long something takes.
;;
;; The variable EMLAT_LISP is evaluated before the first command.  C-t is busy.  C-] ends Emacs, and
;; leaves in the file `lisp' what Lisp counted.
;;; Code:

(require 'subr-x)

(defvar recipes-commands 0
  "How many commands the command loop has begun.")

(defun recipes-file (name)
  "Return the name of the file NAME where both sides meet."
  (expand-file-name name (getenv "EMLAT_DIR")))

(defun recipes-mark (name)
  "Say that NAME was reached."
  (write-region "" nil (recipes-file name) nil 'silent))

(defun recipes-wait (name)
  "Be busy until the other side has said NAME."
  (let ((file (recipes-file name)))
    (while (not (file-exists-p file)))))

(defun recipes-busy ()
  "Say `here', and be busy until the other side says `go'."
  (interactive)
  (recipes-mark "here")
  (recipes-wait "go"))

;; A loop that asks for the time in each turn makes so much garbage that GC takes half of it.
(defun recipes-burn (seconds)
  "Use the processor for SECONDS, and make hardly any garbage."
  (let ((end (+ (float-time) seconds)) (i 0))
    (while (< (float-time) end)
      (setq i 0)
      (while (< i 4000) (setq i (1+ i))))))

(defun recipes-burn-cpu (seconds)
  "Use SECONDS of processor time, however long that takes."
  (let ((end (+ (recipes-cpu) seconds)) (i 0))
    (while (< (recipes-cpu) end)
      (setq i 0)
      (while (< i 4000) (setq i (1+ i))))))

(defun recipes-cpu ()
  "Return the processor time that Emacs has used, in seconds."
  (let ((used (current-cpu-time)))
    (/ (float (car used)) (cdr used))))

(dolist (function '(recipes-burn recipes-burn-cpu recipes-cpu))
  (byte-compile function))

(defun recipes-count ()
  "Count a command."
  (setq recipes-commands (1+ recipes-commands)))

(defun recipes-leave ()
  "Leave what Lisp counted, as JSON."
  (write-region (format "{\"commands\":%d,\"gcs\":%d}" recipes-commands gcs-done)
                nil (recipes-file "lisp") nil 'silent))

(defun recipes-end ()
  "End Emacs."
  (interactive)
  (let ((kill-emacs-query-functions nil) (confirm-kill-processes nil))
    (kill-emacs 0)))

(defun recipes-begin ()
  "Show an empty buffer without a mode that does things of its own, and begin."
  (add-hook 'pre-command-hook #'recipes-count)
  (add-hook 'kill-emacs-hook #'recipes-leave)
  (keymap-global-set "C-]" #'recipes-end)
  (keymap-global-set "C-t" #'recipes-busy)
  (setq ring-bell-function nil debug-on-error nil)
  (global-eldoc-mode -1)
  (setq initial-buffer-choice (lambda () (get-buffer-create "recipe")))
  (switch-to-buffer "recipe")
  (buffer-disable-undo)
  (fundamental-mode)
  (eval (read (concat "(progn " (getenv "EMLAT_LISP") ")")) t)
  (message nil)                         ; it would keep the echo of keys away
  (write-region (format "%d." (emacs-pid)) nil (recipes-file "begun") nil 'silent))

(add-hook 'emacs-startup-hook #'recipes-begin)

;;; recipes.el ends here
