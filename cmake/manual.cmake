# The manual, and completion for shells. Pages are made from the option tables of
# the command line and docs/heddle.1, so the command must run here: what is built
# with a sanitizer, or for another machine, has the overview alone.
set(manual_source ${CMAKE_SOURCE_DIR}/docs/heddle.1)
if(HEDDLE_SANITIZE OR HEDDLE_FUZZ OR CMAKE_CROSSCOMPILING)
	install(FILES ${manual_source} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
else()
	set(manual_folder ${CMAKE_BINARY_DIR}/share/man/man1)
	add_custom_command(OUTPUT ${manual_folder}/heddle.1
		COMMAND ${CMAKE_SOURCE_DIR}/scripts/gen-man $<TARGET_FILE:heddle>
			${manual_source} ${manual_folder}
		DEPENDS heddle ${manual_source} ${CMAKE_SOURCE_DIR}/scripts/gen-man
		COMMENT "Writing the manual"
		VERBATIM)
	add_custom_target(manual ALL DEPENDS ${manual_folder}/heddle.1)
	install(DIRECTORY ${manual_folder}/
		DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
		FILES_MATCHING PATTERN "heddle*.1")
endif()

# Debian's zsh looks in vendor-completions for those of packages.
set(HEDDLE_ZSH_DIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING
	"where the completion for zsh is installed")
set(completion ${CMAKE_SOURCE_DIR}/src/door/cli/completion)
install(FILES ${completion}/heddle.bash RENAME heddle
	DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${completion}/heddle.zsh RENAME _heddle
	DESTINATION ${HEDDLE_ZSH_DIR})
install(FILES ${completion}/heddle.fish
	DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
